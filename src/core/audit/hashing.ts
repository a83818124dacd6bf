/** Hashes values for the audit log in the same way as Vault. */
import { encodeBase64 } from '../base/base64.ts'
import { toUtf8 } from '../base/bytes.ts'
import { parseRfc3339 } from '../base/clock.ts'
import { invalid } from '../base/errors.ts'
import { GrowingText } from '../base/growing-text.ts'
import { toUtf8Steps } from '../base/long-text.ts'
import { isSteps, Pace, SLICE_BYTES, type Steps } from '../base/steps.ts'
import type { MacKey } from '../crypto/backend.ts'
import { entriesOf, WideObject } from '../json/wide-object.ts'
import { hexOf } from './mac-text.ts'
import { Scratch } from './scratch.ts'

/** Converts strings to the form in which they are logged. */
export interface Hasher {
  text(value: string): string
  /** Like {@link text}, but returns a JSON string with quotes. */
  quoted(value: string): string
  /** Like {@link text}, for strings of any length. For a long string, returns a generator that yields to the event loop while it hashes. */
  long(value: string): string | Steps<string>
}

const shown = (mac: Uint8Array): string => `hmac-sha256:${hexOf(mac)}`

/** The size of the buffer for encoding values. Most values are shorter; longer ones are encoded without the buffer. */
const SCRATCH_CHARACTERS = 512

/** HMAC-SHA256 with the salt of a sink. */
export class SaltedHasher implements Hasher {
  readonly #salt: MacKey
  readonly #scratch = new Scratch(SCRATCH_CHARACTERS)

  constructor(salt: MacKey) {
    this.#salt = salt
  }

  text(value: string): string {
    if (value.length > this.#scratch.longest) return shown(this.#salt.mac(toUtf8(value)))
    const bytes = this.#scratch.encode(value)
    const hash = shown(this.#salt.mac(bytes))
    // The buffer may contain a secret, so clear it.
    bytes.fill(0)
    return hash
  }

  quoted(value: string): string {
    return `"${this.text(value)}"`
  }

  *long(value: string): Steps<string> {
    return shown(yield* this.#salt.macSteps(yield* toUtf8Steps(value)))
  }
}

/** A hasher that leaves values unchanged. */
export const PLAIN: Hasher = {
  text: (value) => value,
  quoted: (value) => JSON.stringify(value),
  long: (value) => value,
}

/** The maximum depth of nesting, the same as for request bodies. */
const MAX_DEPTH = 10_000

const TEXT_MICROSECONDS = 5

const MEMBER_MICROSECONDS = 1

/** An object or list of which a part has been written. */
interface Frame {
  readonly of: object
  /** The name under which the object or list was written. Elements of a list are treated as members with the name of the list. */
  readonly name: string
  readonly members: Iterator<readonly [string, unknown]> | undefined
  at: number
}

/** Limits for {@link hashedFew}. Most requests and answers have few members and no nested objects. */
const MAX_IMMEDIATE_MEMBERS = 8

const MAX_IMMEDIATE_CHARACTERS = 4096

/** Like {@link hashedText}, but returns the text itself and not a generator. Undefined unless the object is small and not nested. */
export function hashedFew(data: object, hasher: Hasher, clear: readonly string[]): string | undefined {
  if (data instanceof WideObject || Array.isArray(data) || Object.getPrototypeOf(data) !== Object.prototype) return undefined
  let text = '{'
  let count = 0
  for (const name in data) {
    const value = (data as Readonly<Record<string, unknown>>)[name]
    let shown: string
    if (typeof value === 'string') {
      if (value.length > MAX_IMMEDIATE_CHARACTERS) return undefined
      shown = clear.includes(name) || isTimestamp(value) ? JSON.stringify(value) : hasher.quoted(value)
    } else if (typeof value === 'number' || typeof value === 'boolean' || value === null) shown = JSON.stringify(value)
    else if (value instanceof Uint8Array && value.length < MAX_IMMEDIATE_CHARACTERS) shown = hasher.quoted(encodeBase64(value))
    else return undefined
    if (++count > MAX_IMMEDIATE_MEMBERS) return undefined
    text += `${count > 1 ? ',' : ''}${JSON.stringify(name)}:${shown}`
  }
  return `${text}}`
}

/**
 * `data` as JSON text. Every string is hashed, except timestamps and the values of members whose names are in `clear`. Names, numbers,
 * booleans and null stay unchanged.
 */
export function* hashedText(data: object, hasher: Hasher, clear: readonly string[]): Steps<string> {
  const out = new GrowingText()
  const pace = new Pace()
  const open: Frame[] = [enter(data, '', out)]
  for (let frame = open.at(-1); frame; frame = open.at(-1)) {
    const next = step(frame)
    if (!next) {
      out.push(frame.members ? '}' : ']')
      open.pop()
      continue
    }
    if (pace.spend(MEMBER_MICROSECONDS)) yield
    const value = plain(next.value)
    if (frame.members && value === undefined) continue
    if (frame.at++ > 0) out.push(',')
    if (frame.members) out.push(`${JSON.stringify(next.name)}:`)
    if (typeof value === 'string') {
      const text = clear.includes(next.name) || isTimestamp(value) ? value : hash(hasher, value)
      out.push(JSON.stringify(isSteps(text) ? yield* text : text))
      if (pace.spend(TEXT_MICROSECONDS)) yield
    } else if (typeof value === 'object' && value !== null) {
      if (open.length >= MAX_DEPTH) throw invalid(`data: must not be nested more than ${MAX_DEPTH} levels deep`)
      open.push(enter(value, next.name, out))
    } else out.push(typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? 'null'))
  }
  return out.end()
}

const hash = (hasher: Hasher, value: string): string | Steps<string> =>
  value.length > SLICE_BYTES ? hasher.long(value) : hasher.text(value)

function enter(of: object, name: string, out: GrowingText): Frame {
  const list = Array.isArray(of)
  out.push(list ? '[' : '{')
  return { of, name, members: list ? undefined : entriesOf(of), at: 0 }
}

/** The next member or element. An element has the name of its list. */
function step({ of, name, members, at }: Frame): { readonly name: string; readonly value: unknown } | undefined {
  if (!members) return at < (of as readonly unknown[]).length ? { name, value: (of as readonly unknown[])[at] } : undefined
  const next = members.next()
  return next.done ? undefined : { name: next.value[0], value: next.value[1] }
}

/** The value that JSON text contains for `value`; undefined if it contains none. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return encodeBase64(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null || value instanceof WideObject) return value
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value
}

const isTimestamp = (text: string): boolean => text[4] === '-' && text[10] === 'T' && parseRfc3339(text) !== undefined
