/**
 * Reads the members of a JSON object by name and type, as the originals do: names in any case, null counts as absent, unknown
 * members are ignored.
 */
import { decodeBase64 } from '../../../core/base/base64.ts'
import { parseRfc3339 } from '../../../core/base/clock.ts'
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import { WideObject } from '../../../core/json/wide-object.ts'
import { bigOf } from './big-json.ts'

const BACKUP = 'backup'

/** Longer than any known name. */
const MAX_NAME_CHARACTERS = 64

export class ArchiveMembers {
  readonly #values = new Map<string, unknown>()
  readonly #exact = new Set<string>()

  /** @throws KernelError 400 for anything but an object; `what` names the value in the message. */
  constructor(value: unknown, what: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${BACKUP}: ${what} must be an object`)
    // Reading all members would take long, and no ring has so many versions.
    if (value instanceof WideObject) throw invalid(`${BACKUP}: ${what} has more members than any`)
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
    throw wrongMember(name, 'a text')
  }

  flag(name: string): boolean {
    const value = this.raw(name)
    if (value === undefined) return false
    if (typeof value === 'boolean') return value
    throw wrongMember(name, 'true or false')
  }

  /** 0 when absent. @throws KernelError 400 beyond what a double holds exactly */
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

  /** A number that is part of a key. */
  natural(name: string): bigint | undefined {
    const value = this.big(name)
    if (value !== undefined && value < 0n) throw wrongMember(name, 'a positive number')
    return value
  }

  /** Undefined when absent or empty; the caller owns the bytes. */
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

  /** Milliseconds; undefined when absent or before 1970, which is how the originals write an unknown time. */
  time(name: string): number | undefined {
    const text = this.text(name)
    if (text === '') return undefined
    const ms = parseRfc3339(text)
    if (ms === undefined) throw wrongMember(name, 'a time such as 2026-01-02T03:04:05Z')
    return ms < 0 ? undefined : ms
  }
}

export const wrongMember = (name: string, wanted: string): KernelError => invalid(`${BACKUP}: ${name} must be ${wanted}`)
