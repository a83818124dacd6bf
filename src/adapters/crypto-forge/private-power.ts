/** The RSA private operation: CRT with blinding and a check of the result (RFC 8017 section 5.1.2). */
import type { Steps } from '../../core/base/steps.ts'
import { bytesBigint, type RsaNumbers, type RsaPublicNumbers } from '../../core/crypto/rsa/numbers.ts'
import { bitLength, inverse, powerSteps, publicPower } from './modular-power.ts'

type Random = (n: number) => Uint8Array

/** The length of the random factor k: `k * (p - 1)` or `k * (q - 1)` is added to an exponent. */
const EXPONENT_BLINDING_BYTES = 8

/** After this many operations, blinding factors are drawn instead of squared, as in OpenSSL. */
const MAX_SQUARINGS = 32

/** A random number is coprime to the modulus, except with a negligible probability or if the modulus has a small factor. */
const MAX_DRAWS = 8

const mismatch = (): Error => new Error('the private components of the RSA key do not match the public components')

export class PrivatePower {
  readonly #numbers: RsaNumbers
  readonly #random: Random
  readonly #blinding: Blinding

  constructor(numbers: RsaNumbers, random: Random) {
    this.#numbers = numbers
    this.#random = random
    this.#blinding = new Blinding(numbers, random)
  }

  /**
   * Computes base ^ d mod n. A result with a fault would reveal a prime factor, so the result is verified with the public exponent.
   * @throws Error if the private components do not match the public components
   */
  *steps(base: bigint): Steps<bigint> {
    const { n, e, p, q, dp, dq, qInv } = this.#numbers
    // Yield first: otherwise operations that begin in one turn of the event loop would all compute their first slice in that turn.
    yield
    const { factor, unblind } = this.#blinding.next()
    const blinded = (base * factor) % n
    const [modP, modQ] = [yield* this.#modulo(blinded, dp, p), yield* this.#modulo(blinded, dq, q)]
    const difference = (modP - modQ) % p
    const h = ((difference < 0n ? difference + p : difference) * qInv) % p
    const result = modQ + h * q
    if (publicPower(result, e, n) !== blinded) throw mismatch()
    return (result * unblind) % n
  }

  /** Computes base ^ exponent mod prime. Adds a random multiple of prime - 1 to the exponent, which does not change the result. */
  *#modulo(base: bigint, exponent: bigint, prime: bigint): Steps<bigint> {
    const multiple = drawn(this.#random, EXPONENT_BLINDING_BYTES)
    return yield* powerSteps(base % prime, exponent + multiple * (prime - 1n), prime, bitLength(prime))
  }
}

interface BlindingPair {
  /** r ^ e mod n, for a random r. */
  readonly factor: bigint
  /** The inverse of r modulo n. */
  readonly unblind: bigint
}

class Blinding {
  readonly #key: RsaPublicNumbers
  readonly #random: Random
  #pair: BlindingPair | undefined
  #squarings = 0

  constructor(key: RsaPublicNumbers, random: Random) {
    this.#key = key
    this.#random = random
  }

  next(): BlindingPair {
    const { n } = this.#key
    if (this.#pair && this.#squarings < MAX_SQUARINGS) {
      const { factor, unblind } = this.#pair
      this.#pair = { factor: (factor * factor) % n, unblind: (unblind * unblind) % n }
      this.#squarings++
    } else {
      this.#pair = this.#draw()
      this.#squarings = 0
    }
    return this.#pair
  }

  #draw(): BlindingPair {
    const { n, e } = this.#key
    for (let attempt = 0; attempt < MAX_DRAWS; attempt++) {
      const r = drawn(this.#random, Math.ceil(bitLength(n) / 8)) % n
      const unblind = inverse(r, n)
      if (unblind !== undefined) return { factor: publicPower(r, e, n), unblind }
    }
    throw mismatch()
  }
}

/** A random number of `length` bytes. */
export function drawn(random: Random, length: number): bigint {
  const bytes = random(length)
  const value = bytesBigint(bytes)
  bytes.fill(0)
  return value
}
