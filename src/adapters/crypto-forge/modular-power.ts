/**
 * Modular arithmetic with bigints, in slices. V8 multiplies bigints several times faster than node-forge multiplies its numbers: an
 * exponentiation modulo 2,048 bits takes 12 ms of processor time and with node-forge 80 ms, during which node-forge cannot pause.
 */
import type { Steps } from '../../core/base/steps.ts'

const WINDOW_BITS = 5
const WINDOW_MASK = 31n

/** Chosen so that the multiplications between two yields take about 2 ms, for moduli of 1,024 to 4,096 bits. */
const BIT_PRODUCTS_PER_PIECE = 1.2e9

/**
 * Computes base ^ exponent mod modulus with a fixed window, so the sequence of multiplications depends only on the length of the exponent.
 * The multiplications themselves are not constant time.
 * @param bits The length of the modulus in bits.
 */
export function* powerSteps(base: bigint, exponent: bigint, modulus: bigint, bits: number): Steps<bigint> {
  const perPiece = Math.max(1, Math.floor(BIT_PRODUCTS_PER_PIECE / (bits * bits)))
  const powers = [1n % modulus]
  for (let i = 1; i < 1 << WINDOW_BITS; i++) powers.push(((powers[i - 1] as bigint) * base) % modulus)
  const digits = windowsOf(exponent)
  let result = powers[0] as bigint
  let count = powers.length
  for (let at = digits.length - 1; at >= 0; at--) {
    for (let i = 0; i < WINDOW_BITS; i++) result = (result * result) % modulus
    result = (result * (powers[digits[at] as number] as bigint)) % modulus
    count += WINDOW_BITS + 1
    if (count < perPiece) continue
    count = 0
    yield
  }
  digits.fill(0)
  return result
}

/** The exponent in windows, the lowest first. */
function windowsOf(exponent: bigint): Uint8Array {
  const digits: number[] = []
  for (let rest = exponent; rest > 0n; rest >>= BigInt(WINDOW_BITS)) digits.push(Number(rest & WINDOW_MASK))
  const windows = Uint8Array.from(digits)
  digits.fill(0)
  return windows
}

/** Computes base ^ exponent mod modulus without yielding, because a public exponent is short. */
export function publicPower(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [result, square] = [1n, base % modulus]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    if (rest > 1n) square = (square * square) % modulus
  }
  return result
}

/** The inverse of a modulo m, by the extended Euclidean algorithm. Undefined if a and m have a common factor. Takes about 1.5 ms for 4,096 bits. */
export function inverse(a: bigint, m: bigint): bigint | undefined {
  let [r0, r1, t0, t1] = [m, a % m, 0n, 1n]
  while (r1 !== 0n) {
    const quotient = r0 / r1
    ;[r0, r1, t0, t1] = [r1, r0 - quotient * r1, t1, t0 - quotient * t1]
  }
  if (r0 !== 1n) return undefined
  return t0 < 0n ? t0 + m : t0
}

export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

export const bitLength = (value: bigint): number => {
  const hex = value.toString(16)
  return 4 * hex.length - (Math.clz32(Number.parseInt(hex[0] as string, 16)) - 28)
}
