/**
 * Searches everything that a kernel outputs for secrets, in every form in which bytes may leak.
 */
import { inspect } from 'node:util'

export interface Secret {
  readonly name: string
  readonly bytes: Uint8Array
}

const INSPECT = { depth: 12, showHidden: true, getters: true, maxArrayLength: null, maxStringLength: null } as const

/** The collected output, as text without white space. */
export class Haystack {
  readonly #texts = new Map<string, string>()

  /** @param where Reported if something is found. */
  add(where: string, seen: unknown): void {
    const texts = [inspect(seen, INSPECT), jsonOf(seen), ...errorTexts(seen, new Set()), ...rawBytes(seen, new Set())]
    this.#texts.set(`${where} (${this.#texts.size})`, texts.join('\n').replaceAll(/[\s]+/g, ''))
  }

  /** For large text output, which is searched only as it is. */
  addText(where: string, text: string): void {
    this.#texts.set(`${where} (${this.#texts.size})`, text.replaceAll(/\s+/g, ''))
  }

  get size(): number {
    return this.#texts.size
  }

  /** Reports each found secret with its form and place. */
  find(secrets: readonly Secret[]): readonly string[] {
    const needles = new NeedleIndex()
    for (const { name, bytes } of secrets)
      for (const [form, needle] of needlesOf(bytes)) needles.add(needle, `${name} as ${form}`)
    return [...this.#texts].flatMap(([where, text]) => needles.foundIn(text).map((what) => `${what} in ${where}`))
  }
}

const HASH_MASK = 0xf_ffff

/** The hash of the last four characters. Older characters are shifted out of the mask. */
const hashNext = (hash: number, character: number): number => ((hash << 5) ^ character) & HASH_MASK

/** Searches for thousands of needles in one pass over a text. */
class NeedleIndex {
  readonly #byHash = new Map<number, (readonly [needle: string, label: string])[]>()
  readonly #hashes = new Uint8Array(HASH_MASK + 1)

  add(needle: string, label: string): void {
    let hash = 0
    for (let at = 0; at < 4; at++) hash = hashNext(hash, needle.charCodeAt(at))
    this.#hashes[hash] = 1
    const others = this.#byHash.get(hash)
    if (others) others.push([needle, label])
    else this.#byHash.set(hash, [[needle, label]])
  }

  /** The labels of all needles that occur in `text`. */
  foundIn(text: string): readonly string[] {
    const found = new Set<string>()
    let hash = 0
    for (let at = 0; at < text.length; at++) {
      hash = hashNext(hash, text.charCodeAt(at))
      if (this.#hashes[hash] === 0) continue
      for (const [needle, label] of this.#byHash.get(hash) ?? []) if (text.startsWith(needle, at - 3)) found.add(label)
    }
    return [...found]
  }
}

function jsonOf(seen: unknown): string {
  try {
    return JSON.stringify(seen) ?? ''
  } catch {
    // A value that cannot be serialized cannot leak as JSON.
    return ''
  }
}

function* errorTexts(seen: unknown, known: Set<unknown>): Generator<string> {
  if (!(seen instanceof Error) || known.has(seen)) return
  known.add(seen)
  yield seen.message
  yield seen.stack ?? ''
  yield jsonOf({ ...seen })
  yield* errorTexts(seen.cause, known)
}

/** All bytes and texts in a reply as hex, so that they are found in any form. */
function* rawBytes(seen: unknown, known: Set<unknown>): Generator<string> {
  if (typeof seen === 'string') {
    yield Buffer.from(seen, 'latin1').toString('hex')
    return
  }
  if (typeof seen !== 'object' || seen === null || known.has(seen)) return
  known.add(seen)
  if (seen instanceof Uint8Array) yield Buffer.from(seen).toString('hex')
  else for (const value of Object.values(seen)) yield* rawBytes(value, known)
}

const PIECE = 16

/** The secret, and its first and last 16 bytes, so that a leak of a part is also detected. */
export function needlesOf(bytes: Uint8Array): readonly (readonly [string, string])[] {
  const pieces = bytes.length > PIECE ? [bytes.subarray(0, PIECE), bytes.subarray(bytes.length - PIECE)] : [bytes]
  return pieces.flatMap((piece) => {
    const buffer = Buffer.from(piece)
    const list = [...piece].slice(0, 12)
    return [
      ['hex', buffer.toString('hex')] as const,
      ['hex', buffer.toString('hex').toUpperCase()] as const,
      ['a list of numbers', list.join(',')] as const,
      ['an object of numbers', list.map((value, index) => `"${index}":${value}`).join(',')] as const,
      ['latin1', buffer.toString('latin1').replaceAll(/[\s]+/g, '')] as const,
      ...[0, 1, 2].flatMap((shift) => base64Needles(buffer, shift)),
    ].filter(([, needle]) => needle.length >= 10)
  })
}

/** Base64 of bytes at every offset in a group of three, without the characters that depend on neighboring bytes. */
function base64Needles(bytes: Buffer, shift: number): readonly (readonly [string, string])[] {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  const from = shift === 0 ? 0 : 4
  const inner = text.slice(from, Math.floor((bytes.length + shift) / 3) * 4)
  return [
    ['base64', inner],
    ['base64url', inner.replaceAll('+', '-').replaceAll('/', '_')],
  ]
}
