/**
 * Random identifiers and hexadecimal strings.
 */
import { toUtf8 } from './bytes.ts'
import type { Entropy } from './entropy.ts'
import { texts } from './texts.ts'

const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Makes a UUID version 4 (RFC 9562) of 16 random bytes. Modifies the bytes. */
export function uuid(random: Uint8Array): string {
  random[6] = ((random[6] as number) & 0x0f) | 0x40
  random[8] = ((random[8] as number) & 0x3f) | 0x80
  for (let i = 0; i < 16; i++) {
    const byte = random[i] as number
    const at = UUID_AT[i] as number
    uuidText[at] = DIGITS.charCodeAt(byte >> 4)
    uuidText[at + 1] = DIGITS.charCodeAt(byte & 15)
  }
  return texts.latin1(uuidText, 0, uuidText.length)
}

const DIGITS = '0123456789abcdef'
/** For each of the 16 bytes, the index of its first hexadecimal digit in the UUID. */
const UUID_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const uuidText = /* @__PURE__ */ texts.view(toUtf8('00000000-0000-0000-0000-000000000000'))

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The largest multiple of 62 below 256. Larger bytes are not used, because they would make the first characters more likely. */
const FAIR = 248

/** `length` random characters; each of the 62 characters is equally likely. */
export function base62(entropy: Entropy, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of entropy.bytes(length)) if (byte < FAIR && text.length < length) text += ALPHABET[byte % 62]
  }
  return text
}

export const toHex = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}
