/**
 * Validates free data of an application. A value that JSON cannot carry would be lost in silence: a `Map` would become
 * `{}`, `NaN` null, and a member that is undefined would be missing.
 */
import { WideObject } from './wide-object.ts'

/** The place of a refused value, and the rule that it breaks. */
export interface NonJson {
  readonly names: (string | number)[]
  readonly rule: string
}

/** Deeper values are read in steps, where a circle is found. */
const MAX_SYNC_LEVELS = 200

/** So many values are read in a few milliseconds. */
const MAX_SYNC_VALUES = 20_000

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

/** @throws TypeError such as `data.a[2].b: NaN is no JSON value`. */
export function throwNonJson(root: string, names: readonly (string | number)[], rule: string): never {
  let path = root
  for (const name of names)
    path +=
      typeof name === 'number' ? `[${name}]` : IDENTIFIER.test(name) ? `.${name}` : `[${JSON.stringify(name.slice(0, 100))}]`
  throw new TypeError(`${path}: ${rule}`)
}

/** Why a value itself cannot be carried, whatever its members are; undefined if it can. */
export function nonJsonRule(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return nonJsonTextRule(value)
    case 'boolean':
    case 'bigint':
      return undefined
    case 'number':
      return Number.isFinite(value) ? undefined : `${value} is no JSON value`
    case 'object':
      return value === null || Array.isArray(value) || value instanceof WideObject ? undefined : nonJsonObjectRule(value)
    case 'undefined':
      return 'must not be undefined; leave the member out, or give null'
    default:
      return `a ${typeof value} is no JSON value`
  }
}

/** ES2024, and in every supported runtime: immediately for texts of one byte a character. */
type MayBeWellFormed = string & { isWellFormed(): boolean }

/** Also for the names of members. */
export const nonJsonTextRule = (text: string): string | undefined =>
  (text as MayBeWellFormed).isWellFormed() ? undefined : 'half of a surrogate pair is no Unicode text'

function nonJsonObjectRule(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return 'bytes are no JSON value; give them as base64'
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null && !isObjectPrototype(prototype as object)) {
    if (hasJsonForm(value)) return undefined
    const { name = '' } = (value.constructor ?? {}) as { readonly name?: unknown }
    return `an instance of ${typeof name === 'string' && name !== '' ? name : 'a class'} is no JSON value`
  }
  return Object.getOwnPropertySymbols(value).length > 0 ? 'members whose names are symbols are no JSON' : undefined
}

/** `Object.prototype` of another realm, as in test runners that use `node:vm`. */
const isObjectPrototype = (prototype: object): boolean =>
  Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')

export const hasJsonForm = (value: object): boolean =>
  !(value instanceof WideObject) && typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** The JSON form of an object that has `toJSON`, such as a date; `rule` if the form is refused. */
export function jsonFormOf(value: object): { readonly form: unknown; readonly rule?: string } {
  const form = (value as { toJSON(name: string): unknown }).toJSON('')
  // An invalid date has the form null.
  const rule =
    form === null && Object.prototype.toString.call(value) === '[object Date]'
      ? 'an invalid date is no JSON value'
      : nonJsonRule(form)
  return rule === undefined ? { form } : { form, rule }
}

/**
 * The first part of a value that JSON cannot carry; `undefined` for a value that is large, deep or has `toJSON`, which is validated in steps. The
 * length of texts does not count: they are not read.
 */
export function findNonJson(
  value: unknown,
  levels = MAX_SYNC_LEVELS,
  room = { left: MAX_SYNC_VALUES },
): NonJson | 'none' | undefined {
  const rule = nonJsonRule(value)
  if (rule !== undefined) return { names: [], rule }
  if (typeof value !== 'object' || value === null) return 'none'
  const isList = Array.isArray(value)
  if (levels === 0 || (isList && value.length > room.left) || value instanceof WideObject || hasJsonForm(value)) return undefined
  const names = isList ? value.length : Object.keys(value)
  const count = typeof names === 'number' ? names : names.length
  room.left -= count
  if (room.left < 0) return undefined
  for (let at = 0; at < count; at++) {
    const name = typeof names === 'number' ? at : (names[at] as string)
    const found = findNonJson((value as Readonly<Record<string | number, unknown>>)[name], levels - 1, room)
    const nameRule = typeof name === 'string' ? nonJsonTextRule(name) : undefined
    if (nameRule !== undefined) return { names: [name], rule: nameRule }
    if (found === undefined) return undefined
    if (found !== 'none') {
      found.names.unshift(name)
      return found
    }
  }
  return 'none'
}
