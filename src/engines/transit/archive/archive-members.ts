/**
 * Reads the members of a JSON object by name and type, with the rules of Go's decoder, which Vault and OpenBao use: member names match in
 * any case, null counts as absent, and unknown members are ignored.
 */
import { decodeBase64 } from '../../../core/base/base64.ts'
import { parseRfc3339 } from '../../../core/base/clock.ts'
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import { WideObject } from '../../../core/json/wide-object.ts'
import { bigOf } from './big-json.ts'

const BACKUP = 'backup'

/** Longer than every known member name. A member with a longer name is unknown, so its name is not converted to lower case. */
const MAX_NAME_CHARACTERS = 64

export class ArchiveMembers {
  readonly #values = new Map<string, unknown>()
  readonly #exact = new Set<string>()

  /** @throws KernelError 400 for anything but an object; `what` names the value in the message. */
  constructor(value: unknown, what: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${BACKUP}: ${what} must be an object`)
    // No valid backup has so many members, and reading all of them would take long.
    if (value instanceof WideObject) throw invalid(`${BACKUP}: ${what} has too many members`)
    for (const [name, member] of Object.entries(value)) {
      const lower = name.length > MAX_NAME_CHARACTERS ? '' : name.toLowerCase()
      if (member === null || this.#exact.has(lower)) continue
      if (name === lower) this.#exact.add(lower)
      this.#values.set(lower, member)
    }
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }

  raw(name: string): unknown {
    return this.#values.get(name.toLowerCase())
  }

  text(name: string): string {
    const value = this.raw(name)
    if (value === undefined) return ''
    if (typeof value === 'string') return value
    throw wrongMember(name, 'a string')
  }

  flag(name: string): boolean {
    const value = this.raw(name)
    if (value === undefined) return false
    if (typeof value === 'boolean') return value
    throw wrongMember(name, 'true or false')
  }

  /** 0 if the member is absent. @throws KernelError 400 for a number that a double cannot hold exactly */
  int(name: string): number {
    const value = this.big(name) ?? 0n
    if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER))
      throw wrongMember(name, 'a smaller number')
    return Number(value)
  }

  big(name: string): bigint | undefined {
    const value = this.raw(name)
    if (value === undefined) return undefined
    const number = bigOf(value)
    if (number === undefined) throw wrongMember(name, 'a whole number')
    return number
  }

  /** A number of an RSA or ECDSA key. @throws KernelError 400 for a negative number */
  natural(name: string): bigint | undefined {
    const value = this.big(name)
    if (value !== undefined && value < 0n) throw wrongMember(name, 'zero or a positive number')
    return value
  }

  /** Undefined if the member is absent or empty. The caller owns the bytes. */
  bytes(name: string): Uint8Array | undefined {
    const text = this.text(name)
    return text === '' ? undefined : decodeBase64(text, `${BACKUP}: ${name}`)
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name)
    if (value === undefined || Array.isArray(value)) return value
    throw wrongMember(name, 'a list')
  }

  object(name: string): ArchiveMembers | undefined {
    const value = this.raw(name)
    return value === undefined ? undefined : new ArchiveMembers(value, name)
  }

  /** Milliseconds. Undefined if the member is absent or before 1970: Go writes an unknown time as the year 1. */
  time(name: string): number | undefined {
    const text = this.text(name)
    if (text === '') return undefined
    const ms = parseRfc3339(text)
    if (ms === undefined) throw wrongMember(name, 'a time such as 2026-01-02T03:04:05Z')
    return ms < 0 ? undefined : ms
  }
}

export const wrongMember = (name: string, wanted: string): KernelError => invalid(`${BACKUP}: ${name} must be ${wanted}`)
