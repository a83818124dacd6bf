/**
 * JSON with whole numbers of any size: backups hold RSA and ECDSA keys as numbers of hundreds of digits.
 * Room: engines/transit/archive. Imported by its reader and writer.
 *
 * Reading marks long numbers in the text and leaves the rest to the engine's own parser, which is fast and keeps its stack flat.
 */
import { encodeBase64 } from '../../../core/base64.ts'
import { invalid } from '../../../core/errors.ts'

/** In front of the digits of a number that was too long for a double. No text that means something begins with it. */
const MARK = '\u0000'
/** A number of RSA-4096 has 1,234 digits. */
const MOST_DIGITS = 1300
/** A backup has seven levels. */
const DEEPEST = 32
/** Texts, brackets and commas: 9,000 versions of the largest keys have fewer. Small values by the million would take seconds to parse. */
const MOST_TOKENS = 2_000_000

/** @throws KernelError 400 for what is no JSON, is nested deeper than any backup, or has numbers longer than any key. */
export function parseBigJson(text: string, name: string): unknown {
  try {
    return JSON.parse(marked(text, name))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // The parser's own words would quote the text.
    throw invalid(`${name}: is not JSON`)
  }
}

/** A whole number that {@link parseBigJson} read; undefined for anything else. */
export function bigOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && /^\0-?\d+$/.test(value) ? BigInt(value.slice(1)) : undefined
}

/** One pass over the text, character by character: it is the first to see what may be megabytes of anything. */
function marked(text: string, name: string): string {
  const parts: string[] = []
  let done = 0
  let depth = 0
  let left = MOST_TOKENS
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c >= ZERO && c <= NINE) {
      const end = endOfDigits(text, at)
      if (end - at > MOST_DIGITS) throw invalid(`${name}: holds a number that is longer than any key`)
      if (end - at > SHORT && isWhole(text, at, end)) {
        const start = text.charCodeAt(at - 1) === MINUS ? at - 1 : at
        parts.push(text.slice(done, start), `"\\u0000${text.slice(start, end)}"`)
        done = end
      }
      at = end - 1
    } else if (c === QUOTE || c === COMMA || c === OPEN_BRACE || c === CLOSE_BRACE || c === OPEN_BRACKET || c === CLOSE_BRACKET) {
      if (left-- === 0) throw invalid(`${name}: holds more than any backup`)
      if (c === QUOTE) at = endOfString(text, at + 1) - 1
      else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--
      else if (c !== COMMA && ++depth > DEEPEST) throw invalid(`${name}: is nested deeper than any backup`)
    }
  }
  parts.push(text.slice(done))
  return parts.join('')
}

/** Digits that a double holds exactly. */
const SHORT = 15
const ZERO = 0x30
const NINE = 0x39
const MINUS = 0x2d
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** Whether digits are all of a number: not its fraction or its exponent, and with neither behind them. */
function isWhole(text: string, from: number, end: number): boolean {
  const signed = text[from - 1] === '-' || text[from - 1] === '+'
  const before = text[signed ? from - 2 : from - 1] ?? ' '
  return !'.eE'.includes(before) && !'.eE'.includes(text[end] ?? ' ')
}

function endOfDigits(text: string, from: number): number {
  let at = from
  for (let c = text.charCodeAt(at); c >= ZERO && c <= NINE; c = text.charCodeAt(at)) at++
  return at
}

/** The place behind the closing quote; that of the end where there is none, which the parser will refuse. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return text.length
}

export type BigJson =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly BigJson[]
  | { readonly [name: string]: BigJson | undefined }

/** Bytes become base64, members that are undefined are left out. */
export function printBigJson(value: BigJson): string {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return `"${encodeBase64(value)}"`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(printBigJson).join(',')}]`
  const members: string[] = []
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${printBigJson(member)}`)
  return `{${members.join(',')}}`
}

const isList = (value: object): value is readonly BigJson[] => Array.isArray(value)

/** So that no number can be mistaken for a text. */
export const isMarked = (text: string): boolean => text.startsWith(MARK)
