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

function marked(text: string, name: string): string {
  const parts: string[] = []
  const token = /["{}[\]]|-?\d{16,}/g
  let done = 0
  let depth = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [what] = found
    if (what === '"') token.lastIndex = endOfString(text, found.index + 1)
    else if (what === '{' || what === '[') {
      if (++depth > DEEPEST) throw invalid(`${name}: is nested deeper than any backup`)
    } else if (what === '}' || what === ']') depth--
    else {
      if (what.length > MOST_DIGITS) throw invalid(`${name}: holds a number that is longer than any key`)
      parts.push(text.slice(done, found.index), `"\\u0000${what}"`)
      done = token.lastIndex
    }
  }
  parts.push(text.slice(done))
  return parts.join('')
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
