/**
 * Looking for secrets in everything a kernel shows, in every form bytes take when they slip out.
 */
import { inspect } from 'node:util'

export interface Secret {
  readonly name: string
  readonly bytes: Uint8Array
}

const INSPECT = { depth: 12, showHidden: true, getters: true, maxArrayLength: null, maxStringLength: null } as const

/** Everything that was seen, as text without white space. */
export class Haystack {
  readonly #texts = new Map<string, string>()

  /** @param where Told when something is found. */
  add(where: string, seen: unknown): void {
    const texts = [inspect(seen, INSPECT), jsonOf(seen), ...errorTexts(seen, new Set()), ...rawBytes(seen, new Set())]
    this.#texts.set(`${where} (${this.#texts.size})`, texts.join('\n').replaceAll(/[\s]+/g, ''))
  }

  /** What is text, or nothing but names and numbers, is looked at as it is: there is much of it. */
  addText(where: string, text: string): void {
    this.#texts.set(`${where} (${this.#texts.size})`, text.replaceAll(/\s+/g, ''))
  }

  get size(): number {
    return this.#texts.size
  }

  /** Where which secret was found, in which form. */
  find(secrets: readonly Secret[]): readonly string[] {
    const needles = new NeedleIndex()
    for (const { name, bytes } of secrets)
      for (const [form, needle] of needlesOf(bytes)) needles.add(needle, `${name} as ${form}`)
    return [...this.#texts].flatMap(([where, text]) => needles.foundIn(text).map((what) => `${what} in ${where}`))
  }
}

const HASH_MASK = 0xf_ffff

/** The hash of the last four characters: older ones are shifted out of the mask. */
const hashNext = (hash: number, character: number): number => ((hash << 5) ^ character) & HASH_MASK

/** Thousands of needles, all of which are searched for in one pass over a text. */
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
    // What cannot be written as JSON does not leak that way.
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

/** Bytes anywhere in a reply, as hex: whatever form they have there, they are compared as bytes. */
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

/** The whole, and its first and last 16 bytes, so that a part that slips out is noticed too. */
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

/** Base64 of bytes that begin anywhere in a group of three; what depends on their neighbours is left out. */
function base64Needles(bytes: Buffer, shift: number): readonly (readonly [string, string])[] {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
  const from = shift === 0 ? 0 : 4
  const inner = text.slice(from, Math.floor((bytes.length + shift) / 3) * 4)
  return [
    ['base64', inner],
    ['base64url', inner.replaceAll('+', '-').replaceAll('/', '_')],
  ]
}
