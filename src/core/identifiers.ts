/**
 * Random names. Room: core. Imported by everyone.
 */
import type { Entropy } from './entropy.ts'

const HEX = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** RFC 9562, version 4, from 16 random bytes, which are changed. */
export function uuid(random: Uint8Array): string {
  random[6] = ((random[6] as number) & 0x0f) | 0x40
  random[8] = ((random[8] as number) & 0x3f) | 0x80
  const h = (index: number) => HEX[random[index] as number] as string
  const [time, middle] = [h(0) + h(1) + h(2) + h(3), `${h(4)}${h(5)}-${h(6)}${h(7)}-${h(8)}${h(9)}`]
  return `${time}-${middle}-${h(10)}${h(11)}${h(12)}${h(13)}${h(14)}${h(15)}`
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** The largest multiple of 62 below 256: bytes from there on would favour the first characters. */
const FAIR = 248

/** `length` characters, each equally likely. */
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
