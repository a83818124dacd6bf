/**
 * Reads the options of public functions. Only this file handles the spellings and units of options.
 */
import { millisecondsOf, type TemporalDuration } from './duration-value.ts'

/** A duration in an option whose name ends with `Ms`: milliseconds, a string with a unit such as `90s`, or a `Temporal.Duration`. */
export type OptionDuration = number | string | TemporalDuration

/** Options after {@link readOptions}: durations are milliseconds. */
export type ReadOptions<O> = {
  [K in keyof O]: K extends `${string}Ms` ? Exclude<O[K], string | TemporalDuration> : O[K]
}

/** A table with one member for each property name of an options type. If a name is missing, the code does not compile. */
export type OptionNames<O extends object> = Readonly<Record<keyof O & string, unknown>>

const SNAKE = /_([a-z0-9])/g

/**
 * Returns the given options under the names in the table. A camelCase name is also accepted in snake_case, which is common in YAML. If a
 * name ends with `Ms`, its value is a duration, and the result contains milliseconds.
 * @param what The function's name, for messages.
 * @param names A table with a member for each name. The values are ignored.
 * @param at The path of nested options, such as `cache.`.
 * @throws TypeError for a value that is not an object, for an unknown name, for a name that is given in both spellings, and for an invalid
 * duration.
 */
export function readOptions<O extends object>(
  what: string,
  options: O | undefined,
  names: OptionNames<O>,
  at = '',
): ReadOptions<O> {
  const read: Record<string, unknown> = {}
  if (options === undefined) return read as ReadOptions<O>
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${what}: ${at === '' ? 'options' : at.slice(0, -1)} must be an object`)
  for (const sent of Object.keys(options)) {
    // If `names` contains the name as it was given, even in snake_case, use it unchanged.
    const name = Object.hasOwn(names, sent) ? sent : sent.replace(SNAKE, (_, letter: string) => letter.toUpperCase())
    if (!Object.hasOwn(names, name)) throw new TypeError(`${what}: unknown option ${at}${sent}`)
    if (Object.hasOwn(read, name)) throw new TypeError(`${what}: ${at}${name} is given twice, in camelCase and in snake_case`)
    const value = options[sent as keyof O]
    read[name] = name.endsWith('Ms') ? durationOf(value, `${what}: ${at}${name}`) : value
  }
  return read as ReadOptions<O>
}

/** Converts a duration to milliseconds. Does not check its range, because only the function that receives the options knows the range. */
function durationOf(value: unknown, name: string): unknown {
  if (value === undefined || typeof value === 'number' || Array.isArray(value)) return value
  return millisecondsOf(value, name)
}
