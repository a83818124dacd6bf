/** Reads the objects of an application that are passed as a request body. Their getters and proxies may throw. */
import { invalid, type KernelError } from '../base/errors.ts'
import { isForeignObjectPrototype } from '../json/non-json.ts'

/**
 * The own enumerable names of a plain object. Undefined for an array.
 * @throws KernelError 400 if the object is neither plain nor an array, or if it is a proxy that throws.
 */
export function keysOf(source: object): readonly string[] | undefined {
  let plain: boolean
  try {
    if (Array.isArray(source)) return undefined
    const prototype: unknown = Object.getPrototypeOf(source)
    plain = prototype === Object.prototype || prototype === null || isForeignObjectPrototype(prototype as object)
    if (plain) return Object.keys(source)
  } catch {
    throw bodyError('a proxy refused to be read')
  }
  throw bodyError('an instance of a class (such as Date, Map or a typed array) is not a JSON value')
}

/** The length of an array. @throws KernelError 400 for a proxy that returns no length. */
export function lengthOf(source: object): number {
  const length = readMember(source, 'length')
  if (!Number.isSafeInteger(length) || (length as number) < 0) throw bodyError('a proxy refused to be read')
  return length as number
}

/** @throws KernelError 400 for a getter or proxy that throws. */
export function readMember(source: object, key: string | number): unknown {
  try {
    return (source as Record<string | number, unknown>)[key]
  } catch {
    throw bodyError('a getter or proxy failed')
  }
}

/** The error for a request body that is not a JSON value. */
export const bodyError = (what: string): KernelError => invalid(`error reading the request body: ${what}`)
