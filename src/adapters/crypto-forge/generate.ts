/** Generates RSA keys in slices. Source: FIPS 186-5 appendix A.1.3. */
import type { Steps } from '../../core/base/steps.ts'
import { checkedRsaNumbers, type RsaNumbers } from '../../core/crypto/rsa/numbers.ts'
import { greatestCommonDivisor, inverse } from './modular-power.ts'
import { primeSteps } from './primes.ts'
import { drawn, PrivatePower } from './private-power.ts'

const EXPONENT = 65_537n

/** The primes must differ in one of their highest bits, because the modulus could be factored otherwise (FIPS 186-5, step 5.4). */
const MIN_DISTANCE_BITS = 100

/** Returns a key whose private half was tested against its public half. */
export function* generateSteps(bits: number, random: (n: number) => Uint8Array): Steps<RsaNumbers> {
  const size = bits / 2
  for (;;) {
    const one = yield* primeSteps(size, EXPONENT, random)
    const other = yield* primeSteps(size, EXPONENT, random)
    const [p, q] = one > other ? [one, other] : [other, one]
    if ((p - q) >> BigInt(size - MIN_DISTANCE_BITS) === 0n) continue
    const d = inverse(EXPONENT, ((p - 1n) * (q - 1n)) / greatestCommonDivisor(p - 1n, q - 1n))
    if (d === undefined || d >> BigInt(size) === 0n) continue
    yield
    const numbers = checkedRsaNumbers({ n: p * q, e: EXPONENT, d, p, q }, bits, 'generated key')
    // Test the key with a random number. The operation throws if its result does not match the public half.
    yield* new PrivatePower(numbers, random).steps(drawn(random, bits / 8) % numbers.n)
    return numbers
  }
}
