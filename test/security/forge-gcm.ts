/**
 * Two messages under one key and nonce reveal the hash key of AES-GCM, and so every tag under that nonce (Joux, "Authentication failures in
 * NIST version of GCM").
 */
import type { Bound, Forge } from './forge.ts'

const REDUCTION = 0xe1n << 120n
const ORDER = 128n

const toNumber = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
const toBytes = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(32, '0'), 'hex')

/** Multiplication in the field of GCM, whose bit order is reversed. */
function times(x: bigint, y: bigint): bigint {
  let product = 0n
  let shifted = y
  for (let bit = 127n; bit >= 0n; bit--) {
    if ((x >> bit) & 1n) product ^= shifted
    shifted = shifted & 1n ? (shifted >> 1n) ^ REDUCTION : shifted >> 1n
  }
  return product
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n << 127n
  for (let bit = ORDER; bit >= 0n; bit--) {
    result = times(result, result)
    if ((exponent >> bit) & 1n) result = times(result, base)
  }
  return result
}

const blocksOf = (bytes: Uint8Array): bigint[] =>
  Array.from({ length: Math.ceil(bytes.length / 16) }, (_, at) => {
    const block = new Uint8Array(16)
    block.set(bytes.subarray(16 * at, 16 * at + 16))
    return toNumber(block)
  })

function hash(key: bigint, { associatedData, text }: Bound): bigint {
  const lengths = (BigInt(8 * associatedData.length) << 64n) | BigInt(8 * text.length)
  return [...blocksOf(associatedData), ...blocksOf(text), lengths].reduce((sum, block) => times(sum ^ block, key), 0n)
}

/**
 * Both messages have one text of two blocks and one block of associated data, so the difference of their tags is the fourth power of the
 * key times the difference of their data.
 */
export const forgeGcm: Forge = (firstMessage, two, target) => {
  const data = toNumber(firstMessage.associatedData) ^ toNumber(two.associatedData)
  const fourth = times(toNumber(firstMessage.tag) ^ toNumber(two.tag), power(data, (1n << ORDER) - 2n))
  // Squaring 128 times is the identity, so squaring 126 times is the fourth root.
  const key = power(fourth, 1n << (ORDER - 2n))
  const mask = hash(key, firstMessage) ^ toNumber(firstMessage.tag)
  return [toBytes(hash(key, target) ^ mask)]
}
