/**
 * Finds values that JSON cannot represent in an application's data. Without this check, such values would be changed or lost silently: a
 * `Map` would become `{}`, `NaN` would become null, and an undefined member would disappear.
 */
import { isWellFormed } from '../base/well-formed.ts'
import { WideObject } from './wide-object.ts'

/** The position of a value that JSON cannot represent, and the rule that the value breaks. */
export interface NonJson {
  readonly names: (string | number)[]
  readonly rule: string
}

/**
 * The maximum number of levels of nesting that are checked in one step. More deeply nested values are checked in several steps, which also
 * detects circular values.
 */
const MAX_SYNC_LEVELS = 200

/** The maximum number of values that are checked in one step, which takes a few milliseconds. */
const MAX_SYNC_VALUES = 20_000

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

/** @throws TypeError, for example `data.a[2].b: NaN is not a JSON value` */
export function throwNonJson(root: string, names: readonly (string | number)[], rule: string): never {
  let path = root
  for (const name of names)
    path +=
      typeof name === 'number' ? `[${name}]` : IDENTIFIER.test(name) ? `.${name}` : `[${JSON.stringify(name.slice(0, 100))}]`
  throw new TypeError(`${path}: ${rule}`)
}

/** Returns the rule that a value itself breaks, without checking its members. Undefined if it breaks no rule. */
export function nonJsonRule(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return nonJsonTextRule(value)
    case 'boolean':
    case 'bigint':
      return undefined
    case 'number':
      return Number.isFinite(value) ? undefined : `${value} is not a JSON value`
    case 'object':
      return value === null || Array.isArray(value) || value instanceof WideObject ? undefined : nonJsonObjectRule(value)
    case 'undefined':
      return 'must not be undefined; omit the member, or use null'
    default:
      return `a ${typeof value} is not a JSON value`
  }
}

/** The rule that a string or a member name breaks. */
export const nonJsonTextRule = (text: string): string | undefined =>
  isWellFormed(text) ? undefined : 'an unpaired surrogate is not Unicode text'

function nonJsonObjectRule(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return 'bytes are not a JSON value; encode them as base64'
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null && !isForeignObjectPrototype(prototype as object)) {
    if (hasJsonForm(value)) return undefined
    const { name = '' } = (value.constructor ?? {}) as { readonly name?: unknown }
    return `an instance of ${typeof name === 'string' && name !== '' ? name : 'a class'} is not a JSON value`
  }
  return Object.getOwnPropertySymbols(value).length > 0 ? 'a member with a symbol as its name is not a JSON value' : undefined
}

/** Accepts the `Object.prototype` of another realm too. Test runners that use `node:vm` create such objects. */
export const isForeignObjectPrototype = (prototype: object): boolean =>
  Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')

export const hasJsonForm = (value: object): boolean =>
  !(value instanceof WideObject) && typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** Calls `toJSON`, for example of a date. Returns its result, and the rule that the result breaks. */
export function jsonFormOf(value: object): { readonly form: unknown; readonly rule?: string } {
  const form = (value as { toJSON(name: string): unknown }).toJSON('')
  // For an invalid date, `toJSON` returns null.
  const rule =
    form === null && Object.prototype.toString.call(value) === '[object Date]'
      ? 'an invalid date is not a JSON value'
      : nonJsonRule(form)
  return rule === undefined ? { form } : { form, rule }
}

/**
 * Returns the first value that JSON cannot represent, or `'none'`. Undefined if the value is large, deeply nested or has a method `toJSON`;
 * it must then be checked by a generator that yields to the event loop. The length of strings does not matter.
 */
export function findNonJson(
  value: unknown,
  levels = MAX_SYNC_LEVELS,
  budget = { left: MAX_SYNC_VALUES },
): NonJson | 'none' | undefined {
  const rule = nonJsonRule(value)
  if (rule !== undefined) return { names: [], rule }
  if (typeof value !== 'object' || value === null) return 'none'
  const isList = Array.isArray(value)
  if (levels === 0 || (isList && value.length > budget.left) || value instanceof WideObject || hasJsonForm(value))
    return undefined
  const names = isList ? value.length : Object.keys(value)
  const count = typeof names === 'number' ? names : names.length
  budget.left -= count
  if (budget.left < 0) return undefined
  for (let at = 0; at < count; at++) {
    const name = typeof names === 'number' ? at : (names[at] as string)
    const found = findNonJson((value as Readonly<Record<string | number, unknown>>)[name], levels - 1, budget)
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
