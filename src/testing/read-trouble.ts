import { readOptions } from '../core/base/options.ts'

interface Trouble {
  readonly call?: string
  readonly manner: unknown
  readonly when?: string
  readonly times?: number
}

interface Choices {
  readonly call: readonly string[]
  /** The allowed values of `manner`. An Error or a promise is always allowed, too. */
  readonly manner: readonly string[]
  readonly when?: readonly string[]
}

/**
 * Validates a failure that a test adds to a fake. Without this check, a misspelled name would let the test pass without the failure.
 * @param what The name of the called function, for error messages.
 * @param more The names of members that only this fake supports.
 * @throws TypeError if a member is unknown or its value is not allowed
 */
export function readTrouble<T extends Trouble>(
  what: string,
  given: T,
  choices: Choices,
  more: Readonly<Record<string, 1>> = {},
): T {
  if (given === undefined) throw new TypeError(`${what}: the failure must be an object`)
  const names: Readonly<Record<string, unknown>> = { call: 1, manner: 1, times: 1, ...(choices.when && { when: 1 }), ...more }
  const trouble: T = readOptions<T>(what, given, names as never)
  for (const [name, known] of Object.entries(choices)) {
    const value: unknown = trouble[name as keyof T]
    const isObject = typeof value === 'object' && value !== null && name === 'manner'
    if (isObject || (value === undefined && name !== 'manner')) continue
    if (!known.includes(value)) throw new TypeError(`${what}: ${name} must be one of ${known.join(', ')}`)
  }
  if (trouble.times !== undefined && !(trouble.times > 0)) throw new TypeError(`${what}: times must be a positive number`)
  return trouble
}
