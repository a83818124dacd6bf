/**
 * Converts parameters from JavaScript and JSON values to the type of a field. Requests on the wire may use another JSON type if Vault
 * accepts it, such as a number for a string.
 */

import { durationText, isTemporalDuration } from '../base/duration-value.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { memberNames, memberOf, WideObject } from '../json/wide-object.ts'

export const NAME_PATTERN = /^\w(?:[\w.-]*\w)?$/

export const typeError = (name: string, wanted: string): TypeError => new TypeError(`${name}: must be ${wanted}`)
export const wrongType = (name: string, wanted: string): KernelError => invalid(`${name}: must be ${wanted}`)

/** The maximum number of strings in a list or members in an object. The number is checked before any string or member is read. */
export const MAX_FIELD_MEMBERS = 10_000

const tooMany = (name: string, most: number): KernelError => invalid(`${name}: must contain at most ${most} entries`)

/** @throws KernelError 400 */
export function checkCount<T extends readonly unknown[]>(list: T, name: string, most = MAX_FIELD_MEMBERS): T {
  if (list.length > most) throw tooMany(name, most)
  return list
}

/** @throws KernelError 400 */
function checkMembers<T extends object>(object: T, name: string): T {
  if (object instanceof WideObject) throw tooMany(name, MAX_FIELD_MEMBERS)
  let count = 0
  for (const _ in object) if (++count > MAX_FIELD_MEMBERS) throw tooMany(name, MAX_FIELD_MEMBERS)
  return object
}

/** Accepts a string, and like Vault also a number or boolean, which is converted to a string. */
export function coerceText(raw: unknown, name: string): string {
  if (typeof raw === 'string') return raw
  if (typeof raw === 'number' || typeof raw === 'bigint') return String(raw)
  if (typeof raw === 'boolean') return raw ? '1' : '0'
  throw wrongType(name, 'a string')
}

export function strictText(raw: unknown, name: string): string {
  if (typeof raw === 'string') return raw
  throw wrongType(name, 'a string')
}

export function typedText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw typeError(name, 'a string')
}

/** The strings that Vault accepts for true and false. */
const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True']
const FALSE = ['', '0', 'f', 'F', 'false', 'FALSE', 'False']

/** Accepts a boolean, and like Vault also the strings above and the numbers 0 and 1. */
export function coerceBool(raw: unknown, name: string): boolean {
  if (typeof raw === 'boolean') return raw
  const text = typeof raw === 'number' ? String(raw) : raw
  if (typeof text === 'string' && TRUE.includes(text)) return true
  if (typeof text === 'string' && FALSE.includes(text)) return false
  throw wrongType(name, 'a boolean')
}

export function coerceInt(raw: unknown, name: string): number {
  if (typeof raw === 'boolean') return raw ? 1 : 0
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return raw
  if (raw === '') return 0
  if (typeof raw === 'string' && /^[+-]?\d{1,15}$/.test(raw)) return Number(raw)
  throw wrongType(name, 'a whole number')
}

export function strictInt(raw: unknown, name: string): number {
  if (typeof raw === 'number' && Number.isSafeInteger(raw)) return raw
  throw wrongType(name, 'a whole number')
}

export function strictBool(raw: unknown, name: string): boolean {
  if (typeof raw === 'boolean') return raw
  throw wrongType(name, 'a boolean')
}

export function strictTexts(raw: unknown, name: string): readonly string[] {
  if (Array.isArray(raw)) return checkCount(raw, name).map((item) => strictText(item, name))
  throw wrongType(name, 'a list of strings')
}

export function typedInt(value: unknown, name: string): number {
  if (typeof value !== 'number') throw typeError(name, 'a number')
  if (!Number.isSafeInteger(value)) throw invalid(`${name}: must be a whole number`)
  return value
}

/** Whether a string follows the grammar of names in paths. */
export const isName = (text: string): boolean => NAME_PATTERN.test(text)

export function validateName(value: string, name: string): string {
  if (isName(value)) return value
  throw noPath(name, 'must be letters, digits, "_", "-" and ".", and begin and end with a letter, a digit or "_"')
}

export function checkPeriod(value: string, name: string): string {
  if (!value.endsWith('.')) return value
  throw noPath(name, 'must not end in a period')
}

/** The error for an invalid name in a path. As in Vault, the status is 404, because no operation has such a path. */
export const noPath = (name: string, rule: string): KernelError =>
  new KernelError('ERR_UNSUPPORTED_PATH', `unsupported path: ${name}: ${rule}`)

export const pass = <T>(value: unknown): T => value as T

export function coerceTexts(raw: unknown, name: string, most = MAX_FIELD_MEMBERS): readonly string[] {
  if (Array.isArray(raw)) return checkCount(raw, name, most).map((item) => coerceText(item, name))
  if (typeof raw === 'object') throw wrongType(name, 'a list of strings')
  return [coerceText(raw, name)]
}

/** @throws KernelError 400 */
export function splitTexts(text: string, name: string, most = MAX_FIELD_MEMBERS): readonly string[] {
  if (text === '') return []
  // Limit the number of parts to one more than is allowed, so that a string with millions of commas is not split completely.
  return checkCount(text.split(',', most + 1), name, most)
}

export function typedTexts(value: unknown, name: string, most = MAX_FIELD_MEMBERS): readonly string[] {
  const texts = Array.isArray(value) && checkCount(value, name, most).every((item) => typeof item === 'string')
  if (!texts) throw typeError(name, 'an array of strings')
  return [...value]
}

export function typedObject(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  throw typeError(name, 'an object')
}

/** Like {@link typedObject}, with a limited number of members. @throws KernelError 400 */
export const typedMap = (value: unknown, name: string): Readonly<Record<string, unknown>> =>
  checkMembers(typedObject(value, name), name)

/** The whole body of a request. An array is refused. @throws KernelError 400 */
export function coerceWhole(raw: unknown, name: string): object {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw
  throw wrongType(name, 'an object')
}

/** An object. An empty array is accepted as an empty object, because PHP encodes an empty map as an array. @throws KernelError 400 */
export const coerceObject = (raw: unknown, name: string): object =>
  Array.isArray(raw) && raw.length === 0 ? {} : coerceWhole(raw, name)

/** Like {@link coerceObject}, with a limited number of members. @throws KernelError 400 */
export const coerceMap = (raw: unknown, name: string): object => checkMembers(coerceObject(raw, name), name)

const DURATION = 'a number of seconds or a string such as "1h30m"'
export const GO_DURATION = 'a string such as "1h30m" or a number of nanoseconds'
const isDuration = (value: unknown): value is number | string => typeof value === 'number' || typeof value === 'string'

export function typedDuration(value: unknown, name: string, wanted = DURATION): number | string {
  if (isDuration(value)) return value
  if (isTemporalDuration(value)) return durationText(value, name)
  throw typeError(name, wanted)
}

export function coerceDuration(raw: unknown, name: string, wanted = DURATION): number | string {
  if (isDuration(raw)) return raw
  throw wrongType(name, wanted)
}

export function coercePairs(raw: unknown, name: string): Readonly<Record<string, string>> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
    return Object.fromEntries(
      [...memberNames(checkMembers(raw, name))].map((member) => [member, coerceText(memberOf(raw, member), `${name}.${member}`)]),
    )
  }
  const pairs = coerceTexts(raw, name).map((text) => {
    const at = text.indexOf('=')
    if (at < 0) throw wrongType(name, 'an object, or strings such as name=value')
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
  return Object.fromEntries(pairs)
}
