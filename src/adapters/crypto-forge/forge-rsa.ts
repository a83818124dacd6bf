import { systemClock } from '../../core/base/clock.ts'
import { Slices } from '../../core/base/slices.ts'
import { runToEnd, type Steps } from '../../core/base/steps.ts'
import { readPkcs8 } from '../../core/crypto/asn1/envelopes.ts'
import { encodePem } from '../../core/crypto/pem.ts'
import type { RsaArithmetic, RsaPort, RsaPrivateArithmetic, RsaPublicArithmetic } from '../../core/crypto/rsa/arithmetic.ts'
import { rsaPkcs8, rsaSpki } from '../../core/crypto/rsa/encoding.ts'
import { bigintBytes, bytesBigint, type RsaNumbers, type RsaPublicNumbers } from '../../core/crypto/rsa/numbers.ts'
import { generateSteps } from './generate.ts'
import { loadForge } from './library.ts'
import { bitLength, publicPower } from './modular-power.ts'
import { Oaep } from './oaep.ts'
import { PrivatePower } from './private-power.ts'
import { readPrivateKey, readPublicKey } from './read-key.ts'

/**
 * Loads RSA in JavaScript, for the kernel option `rsa`. Use it on platforms that have no RSA: browsers, their workers, and Deno, whose
 * `node:crypto` lacks RSA without padding. Needs the package `node-forge`, which does the OAEP padding. Exponentiations and the search for
 * primes use bigints, in slices, because the implementations in node-forge would block the event loop.
 *
 * **Side channels.** Neither bigints nor node-forge compute in constant time. Private operations are blinded with random numbers, and their
 * results are verified, but an attacker who can measure many operations precisely, for example other code in the same process, may learn
 * about keys. Bigints and strings with key bytes cannot be overwritten; they remain in memory until the garbage collector reuses that memory. Prefer
 * the platform's RSA, or elliptic curves, if you can.
 *
 * Generating a key takes on average 0.2 (2,048 bits), 0.7 (3,072) or 2 seconds (4,096) of processor time. The first import of a key into a
 * mount generates a key of 4,096 bits. A private operation takes 5 ms (2,048 bits), 13 ms (3,072)
 * or 27 ms (4,096).
 * @throws TypeError (as a rejection) if the package `node-forge`, version 1, is not installed.
 * @example
 * const kernel = await createKernel({ storage, seal, rsa: await forgeRsa() })
 */
export async function forgeRsa(): Promise<RsaPort> {
  const forge = await loadForge()
  return {
    open(entropy) {
      const random = (n: number): Uint8Array => entropy.bytes(n)
      return arithmetic(new Oaep(forge, random), random)
    },
  }
}

function arithmetic(oaep: Oaep, random: (n: number) => Uint8Array): RsaArithmetic {
  return {
    generate: async (bits) => rsaPkcs8(await new Slices(systemClock).drive(generateSteps(bits, random))),
    openPublic(spki) {
      const numbers = readPublicKey(spki)
      return numbers && publicHalf(oaep, numbers)
    },
    openPrivate(pkcs8) {
      const numbers = readPrivateKey(pkcs8)
      return numbers && privateHalf(oaep, numbers, new PrivatePower(numbers, random))
    },
  }
}

function publicHalf(oaep: Oaep, { n, e }: RsaPublicNumbers): RsaPublicArithmetic {
  const modulusBits = bitLength(n)
  const modulusBytes = Math.ceil(modulusBits / 8)
  return {
    modulusBits,
    spki: () => rsaSpki({ n, e }),
    raise(message) {
      const base = bytesBigint(message)
      return base < n ? bigintBytes(publicPower(base, e, n), modulusBytes) : undefined
    },
    verifyMessage: () => undefined,
    encryptOaep(plaintext, hash) {
      const encoded = oaep.encode(plaintext, hash, modulusBits)
      const base = bytesBigint(encoded)
      encoded.fill(0)
      return bigintBytes(publicPower(base, e, n), modulusBytes)
    },
  }
}

function privateHalf(oaep: Oaep, numbers: RsaNumbers, power: PrivatePower): RsaPrivateArithmetic {
  const { n } = numbers
  const publicKey = publicHalf(oaep, numbers)
  const { modulusBits } = publicKey
  const modulusBytes = Math.ceil(modulusBits / 8)

  function* raiseSteps(message: Uint8Array): Steps<Uint8Array> {
    const base = bytesBigint(message)
    if (base >= n) throw new RangeError('the message must be less than the modulus')
    return bigintBytes(yield* power.steps(base), modulusBytes)
  }

  function* decryptOaepSteps(
    ...[ciphertext, hash]: Parameters<RsaPrivateArithmetic['decryptOaep']>
  ): Steps<Uint8Array | undefined> {
    try {
      const encoded = yield* raiseSteps(ciphertext)
      const plaintext = oaep.decode(encoded, hash, modulusBits)
      encoded.fill(0)
      return plaintext
    } catch {
      return undefined
    }
  }

  return {
    publicKey,
    raise: (message) => runToEnd(raiseSteps(message)),
    raiseSteps,
    signMessage: () => undefined,
    decryptOaep: (ciphertext, hash) => runToEnd(decryptOaepSteps(ciphertext, hash)),
    decryptOaepSteps,
    pkcs1Pem() {
      const der = rsaPkcs8(numbers)
      const pem = encodePem('RSA PRIVATE KEY', readPkcs8(der, 'key').key)
      der.fill(0)
      return pem
    },
  }
}
