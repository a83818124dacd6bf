/**
 * Encodes and decodes tokens with a one-time pad. The person who begins an attempt gets the pad, and the person who enters the last share
 * gets the encoded token. Only together can they decode the token.
 */
import { decodeBase64, encodeBase64 } from '../base/base64.ts'
import { toUtf8 } from '../base/bytes.ts'
import type { Entropy } from '../base/entropy.ts'
import { invalid, KernelError } from '../base/errors.ts'
import { base62 } from '../base/identifiers.ts'
import { texts } from '../base/texts.ts'

/** The length of a service token in the root namespace: `s.` and 24 characters. */
export const PAD_LENGTH = 26
/** The maximum length of an encoded token and of a pad in {@link decodeToken}. It is longer than any real token. */
const MAX_TEXT_CHARACTERS = 65_536

export const newPad = (entropy: Entropy): string => base62(entropy, PAD_LENGTH)

/** Whether a pad that the caller chose can be used: it may contain any characters, but must have as many bytes as the token. */
export const isPad = (otp: string): boolean => otp.length <= PAD_LENGTH && toUtf8(otp).length === PAD_LENGTH

/**
 * Encodes a token: XOR of token and pad, byte by byte, as base64 without padding.
 * @throws KernelError 400 if the token or the pad is empty, or if their lengths differ.
 */
export function encodeToken(token: string, otp: string): string {
  if (token === '') throw invalid('no token provided')
  if (otp === '') throw invalid('no otp provided')
  return unpadded(encodeBase64(xor(toUtf8(token), toUtf8(otp), 'xor of root token failed')))
}

/**
 * Decodes a token that was encoded with a pad. `generate-root` and `generate-operation-token` return the pad as `otp` at the beginning and
 * the token as `encoded_token` at the end. Also decodes the oldest format, in which both values are base64 of 16 bytes and the token is a
 * UUID.
 * @throws KernelError 400 if a value is empty or not base64, or if the lengths differ.
 */
export function decodeToken(encoded_token: string, otp: string): string {
  if (typeof encoded_token !== 'string' || typeof otp !== 'string')
    throw new TypeError('decodeToken: encoded_token and otp must be strings')
  if (encoded_token === '') throw invalid('encoded_token: no token provided')
  if (otp === '') throw invalid('otp: no otp provided')
  if (encoded_token.length > MAX_TEXT_CHARACTERS || otp.length > MAX_TEXT_CHARACTERS)
    throw invalid(`encoded_token and otp: must have at most ${MAX_TEXT_CHARACTERS} characters each`)
  const encoded = read(encoded_token)
  const pad = toUtf8(otp)
  if (encoded.length !== pad.length && encoded.length === UUID_BYTES && OLD_PAD.test(otp)) return oldToken(encoded, otp)
  return lossyUtf8(xor(encoded, pad, 'error xoring token'))
}

/** Decodes UTF-8, and replaces invalid bytes. Decoding a token with a wrong pad produces arbitrary bytes, which must not cause an error. */
function lossyUtf8(bytes: Uint8Array): string {
  const view = texts.view(bytes)
  return texts.utf8(view, 0, view.length)
}

const UUID_BYTES = 16
const OLD_PAD = /^[A-Za-z0-9+/]{22}==$/

function oldToken(encoded: Uint8Array, otp: string): string {
  const hex = texts.hex(xor(encoded, decodeBase64(otp, 'otp'), 'error xoring token'))
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Decodes base64 with or without padding. */
function read(text: string): Uint8Array {
  const bare = text.replaceAll(/[\r\n]+/g, '')
  try {
    return decodeBase64(bare.includes('=') ? bare : bare.padEnd(Math.ceil(bare.length / 4) * 4, '='), 'encoded_token')
  } catch (error) {
    if (error instanceof KernelError) throw invalid("encoded_token: error decoding base64'd token")
    throw error
  }
}

function xor(a: Uint8Array, b: Uint8Array, what: string): Uint8Array {
  if (a.length !== b.length) throw invalid(`${what}: length of byte slices is not equivalent: ${a.length} != ${b.length}`)
  return a.map((byte, i) => byte ^ (b[i] as number))
}

const unpadded = (text: string): string => text.replace(/={1,2}$/, '')
