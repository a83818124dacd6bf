/**
 * The options of public functions: unknown names are refused, so that a misspelled option cannot be ignored.
 */

/** Every name of an options object. The compiler refuses a table that lacks one. */
export type OptionNames<O extends object> = Readonly<Record<keyof O & string, unknown>>

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * The given options by the names of the table. A camelCase name is also accepted in snake_case, as it is written in YAML.
 * @param what The function, for messages.
 * @param names A table with a member for each name; the values do not matter.
 * @throws TypeError for anything but an object, for an unknown name, and for both spellings of one name.
 */
export function readOptions<O extends object>(what: string, options: O | undefined, names: OptionNames<O>): O {
  if (options === undefined) return {} as O
  if (typeof options !== 'object' || options === null) throw new TypeError(`${what}: options must be an object`)
  let read: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(names, name)) continue
    const known = Object.keys(names).find((each) => snakeCase(each) === name)
    if (known === undefined) throw new TypeError(`${what}: unknown option ${name}`)
    if (Object.hasOwn(options, known)) throw new TypeError(`${what}: ${known} is given twice, also as ${name}`)
    const { [name]: _, ...rest } = (read ?? options) as Record<string, unknown>
    read = { ...rest, [known]: value }
  }
  return (read as O | undefined) ?? options
}
