/**
 * Base64 (RFC 4648), as strict as Go's `encoding/base64`, which Vault uses: CR and LF are skipped anywhere, unused bits of the last group
 * are ignored, and all other characters must be valid.
 */
import { invalid } from './errors.ts'
import type { Steps } from './steps.ts'
import { texts } from './texts.ts'

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Up to this many symbols, a loop is faster than calls into native code. */
const SHORT = 96

/**
 * Matches characters above U+00FF. If V8 stores the string with one byte per character, the search returns without reading the string.
 * Counting the UTF-8 bytes instead would take as long as decoding.
 */
const WIDE = /[^\0-\xff]/

/**
 * An alphabet: the value for each character code below 128 (255 for a character outside of the alphabet), and two characters of the other
 * alphabet. The platform's decoder accepts these two, but this decoder must refuse them.
 */
interface Alphabet {
  readonly values: Uint8Array
  readonly padded: boolean
  readonly foreign: readonly [string, string]
}

function alphabet(letters: string, padded: boolean, foreign: readonly [string, string]): Alphabet {
  const values = new Uint8Array(128).fill(255)
  for (let i = 0; i < letters.length; i++) values[letters.charCodeAt(i)] = i
  return { values, padded, foreign }
}

const standard = /* @__PURE__ */ alphabet(STANDARD, true, ['-', '_'])

const urlSafe = /* @__PURE__ */ alphabet(URL_SAFE, false, ['+', '/'])

/**
 * Decodes a string in the standard alphabet with padding. The result has a buffer of its own, which contains no other values. The empty
 * string decodes to zero bytes.
 * @param name The parameter's name, for the message.
 * @throws KernelError 400 with the position of the first invalid byte, as Go reports it.
 */
export const decodeBase64 = (text: string, name: string): Uint8Array => decode(text, name, standard)

/**
 * Like {@link decodeBase64}, for data that is not secret. It is faster, because the result may be a part of a larger buffer that also
 * contains other values.
 * @param from The index at which the base64 string begins. Passing an index is faster than passing a slice, because V8 reads a slice
 * through the original string.
 */
export const decodeBase64Shared = (text: string, name: string, from = 0): Uint8Array => decode(text, name, standard, true, from)

/** Like {@link decodeBase64}, for the URL alphabet without padding (JWS, RFC 7515). */
export const decodeBase64Url = (text: string, name: string): Uint8Array => decode(text, name, urlSafe)

/** Strings longer than this should be decoded by {@link decodeBase64Steps}. */
export const LONG_BASE64 = 4_194_304

/** Characters per piece. Must be a multiple of four. */
const PIECE = 262_144

/**
 * Like {@link decodeBase64}, but yields to the event loop. Use it for strings so long that decoding them at once would block the event
 * loop.
 */
export function* decodeBase64Steps(text: string, name: string): Steps<Uint8Array> {
  const out = new Uint8Array(Math.ceil((text.length * 3) / 4))
  let size = 0
  let rest = ''
  for (let at = 0; at < text.length; at += PIECE) {
    yield
    const piece = rest + text.slice(at, at + PIECE).replaceAll(/[\r\n]+/g, '')
    const last = at + PIECE >= text.length
    // Padding is valid only at the very end of the string, so decode with padding only the last piece.
    const whole = last ? piece.length : piece.includes('=') ? 0 : piece.length - (piece.length % 4)
    if (!last && piece.length - whole > PIECE) throw invalid(`${name}: illegal base64 data near input byte ${at}`)
    rest = piece.slice(whole)
    const decoded = decodeBase64(piece.slice(0, whole), name)
    out.set(decoded, size)
    size += decoded.length
  }
  return out.subarray(0, size)
}

/** Characters per call of the platform's decoder. Must be a multiple of four. */
const FAST_PIECE = 98_304

/** Standard alphabet with padding. */
export const encodeBase64 = (bytes: Uint8Array): string => texts.base64(bytes)

/** A faster {@link encodeBase64} for data that is not secret. */
export const encodeBase64Shared = (bytes: Uint8Array): string => texts.base64Shared(bytes)

/** URL alphabet without padding. */
export const encodeBase64Url = (bytes: Uint8Array): string => texts.base64url(bytes)

function decode(whole: string, name: string, kind: Alphabet, shared = false, from = 0): Uint8Array {
  const decoded = decodeClean(whole, kind, shared, from)
  if (decoded) return decoded
  // The string contains line breaks, or it is invalid. Neither is frequent, so this part need not be fast.
  const text = whole.slice(from)
  const wrong = findMistake(text, kind)
  if (wrong >= 0) throw invalid(`${name}: illegal base64 data at input byte ${wrong}`)
  const joined = text.replaceAll(/[\r\n]+/g, '')
  return decodeClean(joined, kind, shared) as Uint8Array
}

/** Decodes a string without line breaks; undefined if it has an invalid character. */
function decodeClean(whole: string, kind: Alphabet, shared: boolean, from = 0): Uint8Array | undefined {
  const length = whole.length - from
  let symbols = length
  if (kind.padded) {
    if (length % 4 !== 0) return undefined
    const end = whole.length
    if (length > 0 && whole.charCodeAt(end - 1) === 0x3d) symbols -= whole.charCodeAt(end - 2) === 0x3d ? 2 : 1
  } else if (length % 4 === 1) return undefined
  const size = Math.floor((symbols * 3) / 4)
  if (symbols <= SHORT) return decodeShort(whole, from, symbols, shared ? texts.buffer(size) : new Uint8Array(size), kind.values)
  const out = shared ? texts.buffer(size) : new Uint8Array(size)
  if (decodeLong(whole, from, out, kind)) return out
  if (shared) texts.release(out)
  return undefined
}

/**
 * Decodes in pieces that stay in the processor's cache, and whose copies inside the platform's decoder are short enough for the allocator
 * to reuse their memory. Returns false if the string has an invalid character.
 *
 * The platform's decoder may truncate character codes to their low byte, accepts both alphabets and skips unknown characters. Every skipped
 * character makes the result at least one byte shorter than the length of the string implies.
 */
function decodeLong(text: string, from: number, out: Uint8Array, { foreign: [first, second] }: Alphabet): boolean {
  let size = 0
  for (let at = from; at < text.length; at += FAST_PIECE) {
    const piece = text.slice(at, at + FAST_PIECE)
    if (WIDE.test(piece) || piece.includes(first) || piece.includes(second)) return false
    size += texts.writeBase64(piece, out, size)
  }
  return size === out.length
}

/** @param out Receives the decoded bytes. It must have exactly their length. */
function decodeShort(text: string, from: number, symbols: number, out: Uint8Array, values: Uint8Array): Uint8Array | undefined {
  const end = from + symbols
  let at = 0
  for (let i = from; i < end; i += 4) {
    // The last symbol is followed by padding or by the end of the string. Zero bits take the place of the missing symbols; the bytes that
    // they would produce are outside of the result, so they are not written.
    const a = values[text.charCodeAt(i)] ?? 255
    const b = values[text.charCodeAt(i + 1)] ?? 255
    const c = i + 2 < end ? (values[text.charCodeAt(i + 2)] ?? 255) : 0
    const d = i + 3 < end ? (values[text.charCodeAt(i + 3)] ?? 255) : 0
    if ((a | b | c | d) > 63) return undefined
    out[at++] = (a << 2) | (b >> 4)
    out[at++] = (b << 4) | (c >> 2)
    out[at++] = (c << 6) | d
  }
  return out
}

/**
 * The position of the first error, or -1 if the text is valid. Line breaks are allowed. All characters before the position are ASCII, so the
 * position is also a number of bytes.
 */
function findMistake(text: string, { values, padded }: Alphabet): number {
  const { length } = text
  const skip = (from: number): number => {
    let at = from
    while (text.charCodeAt(at) === 0x0a || text.charCodeAt(at) === 0x0d) at++
    return at
  }
  let symbols = 0
  let at = skip(0)
  for (; at < length && (values[text.charCodeAt(at)] ?? 255) <= 63; at = skip(at + 1)) symbols++
  const left = symbols % 4
  if (at === length) {
    // Go reports the position at which the incomplete group began, without counting line breaks in the group.
    if (left === 1 || (padded && left > 0)) return length - left
    return -1
  }
  if (!padded || text.charCodeAt(at) !== 0x3d || left < 2) return at
  const next = skip(at + 1)
  if (left === 3) return next === length ? -1 : next
  if (next === length) return length
  if (text.charCodeAt(next) !== 0x3d) return next - 1
  const end = skip(next + 1)
  return end === length ? -1 : end
}
