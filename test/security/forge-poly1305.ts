/**
 * Two messages under one key and nonce reveal both halves of the Poly1305 key, and so every tag under that nonce (RFC 8439 sections 2.5 and
 * 2.8).
 */
import type { Bound, Forge } from './forge.ts'

const P = (1n << 130n) - 5n
const CUT = 1n << 128n
/** The bits of r that may be set (RFC 8439 section 2.5). */
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex') || '0'}`)
const toBytes = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(32, '0'), 'hex').reverse()
const modulo = (value: bigint): bigint => ((value % P) + P) % P

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let bit = 130n; bit >= 0n; bit--) {
    result = (result * result) % P
    if ((exponent >> bit) & 1n) result = (result * base) % P
  }
  return result
}

/** A square root modulo P, which is 3 modulo 4. */
function root(square: bigint): bigint | undefined {
  const found = power(square, (P + 1n) / 4n)
  return (found * found) % P === square ? found : undefined
}

const blocksOf = (bytes: Uint8Array): bigint[] =>
  Array.from({ length: Math.ceil(bytes.length / 16) }, (_, at) => CUT + toNumber(bytes.subarray(16 * at, 16 * at + 16)))

function polynomial(key: bigint, { associatedData, text }: Bound): bigint {
  const lengths = CUT + (BigInt(text.length) << 64n) + BigInt(associatedData.length)
  return [...blocksOf(associatedData), ...blocksOf(text), lengths].reduce((sum, block) => modulo((sum + block) * key), 0n)
}

/**
 * Both messages have one text of two blocks and one block of associated data. Tags are reduced modulo 2^128, so all possible carries are
 * tried.
 */
export const forgePoly1305: Forge = (firstMessage, two, target) => {
  const inverse = power(modulo(toNumber(firstMessage.associatedData) - toNumber(two.associatedData)), P - 2n)
  const tags: Uint8Array[] = []
  for (let cut = -4n; cut <= 4n; cut++) {
    const fourth = modulo((toNumber(firstMessage.tag) - toNumber(two.tag) + cut * CUT) * inverse)
    const square = root(fourth)
    for (const half of square === undefined ? [] : [root(square), root(P - square)])
      for (const key of half === undefined ? [] : [half, P - half]) {
        if ((key & CLAMP) !== key) continue
        const mask = toNumber(firstMessage.tag) - polynomial(key, firstMessage)
        tags.push(toBytes((((polynomial(key, target) + mask) % CUT) + CUT) % CUT))
      }
  }
  return tags
}
