/** Reads the members of an auth method's `Config`. Their names match regardless of case. */

import { invalid } from '../../core/base/errors.ts'
import { parseGoDuration } from '../../core/base/go-duration.ts'
import { entriesOf, WideObject } from '../../core/json/wide-object.ts'

/** Validates a member and converts it to its stored form. `name` is used in error messages. */
export type ReadMember<T> = (value: unknown, name: string) => T

type Readers = Readonly<Record<string, ReadMember<unknown>>>
type MembersOf<R extends Readers> = { readonly [M in keyof R]?: ReturnType<R[M]> }

/**
 * Returns the members of `config`, with their names spelled as in `readers`. A member that is null counts as absent.
 * @param whyNot Returns the reason why a member without a reader is refused. Receives the member's name in lower case.
 * @throws KernelError 400 if `config` is not an object, if a member is unknown or invalid, or if two names differ in case only
 */
export function readMembers<R extends Readers>(config: unknown, readers: R, whyNot: (name: string) => string): MembersOf<R> {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) throw invalid('Config: must be an object')
  const byName = new Map(Object.keys(readers).map((name) => [name.toLowerCase(), name]))
  const read = new Map<string, unknown>()
  for (const [sent, value] of entriesOf(config)) {
    const name = byName.get(sent.toLowerCase())
    if (name === undefined) throw invalid(`Config.${shown(sent)}: ${whyNot(sent.toLowerCase())}`)
    if (read.has(name)) throw invalid(`Config.${name}: must be given only once; the case of a name does not matter`)
    read.set(name, value === null || value === undefined ? undefined : readers[name]?.(value, `Config.${name}`))
  }
  const given = [...read].filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as MembersOf<R>
}

const MAX_SHOWN_CHARACTERS = 100
const shown = (name: string): string => (/^[\w-]+$/.test(name) ? name.slice(0, MAX_SHOWN_CHARACTERS) : '?')

export const textReader =
  (longest: number): ReadMember<string> =>
  (value, name) => {
    if (typeof value !== 'string') throw invalid(`${name}: must be a string`)
    if (value.length > longest) throw invalid(`${name}: must be at most ${longest} characters`)
    return value
  }

/** As in Consul, a single string counts as a list with one element, and an empty string as an empty list. */
export const textListReader =
  (most: number, longest: number): ReadMember<readonly string[]> =>
  (value, name) => {
    const list: unknown = typeof value === 'string' ? [value].filter((one) => one !== '') : value
    if (!Array.isArray(list)) throw invalid(`${name}: must be a list of strings`)
    if (list.length > most) throw invalid(`${name}: must have at most ${most} elements`)
    return list.map((one) => textReader(longest)(one, name))
  }

/** An object whose values are distinct strings. */
export const mappingReader =
  (most: number, longest: number): ReadMember<Readonly<Record<string, string>>> =>
  (value, name) => {
    // Accept an empty array, because PHP encodes an empty map as one.
    if (Array.isArray(value) && value.length === 0) return {}
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw invalid(`${name}: must be an object with string values`)
    const entries = value instanceof WideObject ? undefined : Object.entries(value)
    if (!entries || entries.length > most) throw invalid(`${name}: must have at most ${most} members`)
    const pairs = entries.map(([from, to]) => [textReader(longest)(from, name), textReader(longest)(to, name)] as const)
    const targets = new Set(pairs.map(([, to]) => to))
    if (targets.size < pairs.length) throw invalid(`${name}: must not map two claims to one name`)
    return Object.fromEntries(pairs)
  }

/** The duration as it was sent: a string with units, or nanoseconds. */
export type Leeway = string | number

/** 100 days in nanoseconds, which a double can represent exactly. */
const MAX_LEEWAY_NS = 8_640_000_000_000_000n

export const readLeeway: ReadMember<Leeway> = (value, name) => {
  const nanoseconds = parseGoDuration(value, name)
  if (nanoseconds > MAX_LEEWAY_NS || nanoseconds < -MAX_LEEWAY_NS) throw invalid(`${name}: must be at most 100 days`)
  return typeof value === 'string' ? value : Number(nanoseconds)
}
