/** Generation of random primes in slices: FIPS 186-5 appendix A.1.3, with an incremental search as in OpenSSL. */
import type { Steps } from '../../core/base/steps.ts'
import { powerSteps } from './modular-power.ts'
import { drawn } from './private-power.ts'

type Random = (n: number) => Uint8Array

/** Candidates with a prime factor below this number are sieved out. */
const SIEVE_LIMIT = 65_536
/** The number of odd candidates after a random start. If none is prime, which is unlikely (1 in 100,000), another start is drawn. */
const CANDIDATES = 8192
/**
 * The number of Miller-Rabin rounds with random bases. FIPS 186-5 table B.1 requires 5 or fewer for primes of 1,024 bits and more, so this is
 * enough.
 */
const ROUNDS = 8

let smallPrimes: readonly number[] | undefined

/** Returns a prime p of exactly `bits` bits whose two highest bits are set and for which p - 1 is not divisible by `e`, a prime. */
export function* primeSteps(bits: number, e: bigint, random: Random): Steps<bigint> {
  const highest = 3n << BigInt(bits - 2)
  for (;;) {
    const start = drawn(random, bits / 8) | highest | 1n
    yield
    const composite = sieve(start)
    yield
    for (let at = 0; at < CANDIDATES; at++) {
      if (composite[at]) continue
      const candidate = start + 2n * BigInt(at)
      if (candidate >> BigInt(bits) !== 0n) break
      if (candidate % e !== 1n && (yield* isProbablePrime(candidate, bits, random))) return candidate
    }
  }
}

/** Marks the candidates start + 2 * i that have a small factor. Takes about 3 ms. */
function sieve(start: bigint): Uint8Array {
  smallPrimes ??= primesBelow(SIEVE_LIMIT)
  const composite = new Uint8Array(CANDIDATES)
  for (const prime of smallPrimes) {
    const remainder = Number(start % BigInt(prime))
    // The least i for which remainder + 2 * i is a multiple of the prime.
    const gap = remainder === 0 ? 0 : prime - remainder
    for (let at = gap % 2 === 0 ? gap / 2 : (gap + prime) / 2; at < CANDIDATES; at += prime) composite[at] = 1
  }
  return composite
}

/** The odd primes below a limit. */
function primesBelow(limit: number): readonly number[] {
  const composite = new Uint8Array(limit)
  const primes: number[] = []
  for (let n = 3; n < limit; n += 2) {
    if (composite[n]) continue
    primes.push(n)
    for (let multiple = n * n; multiple < limit; multiple += 2 * n) composite[multiple] = 1
  }
  return primes
}

function* isProbablePrime(n: bigint, bits: number, random: Random): Steps<boolean> {
  const last = n - 1n
  let twos = 0n
  while (((last >> twos) & 1n) === 0n) twos++
  const odd = last >> twos
  for (let round = 0; round < ROUNDS; round++) {
    // A base from 2 to n - 2.
    const base = 2n + (drawn(random, bits / 8) % (n - 3n))
    let power = yield* powerSteps(base, odd, n, bits)
    if (power === 1n || power === last) continue
    for (let i = 1n; i < twos && power !== last; i++) power = (power * power) % n
    if (power !== last) return false
  }
  return true
}
