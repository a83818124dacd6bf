/** ECDSA signatures of messages that the backend hashes itself, across all backends. */
import { describe, expect, it } from 'vitest'
import { type Entropy, systemEntropy } from '../../../src/core/base/entropy.ts'
import type { CurveName, EcdsaSignKey, EcdsaVerifyKey, HashName } from '../../../src/core/crypto/backend.ts'
import { NOBLE_HASHES } from '../../../src/core/crypto/noble/hash.ts'
import { ALL_BY_WEB_CRYPTO, BACKENDS, PAIRS } from '../../fixtures/backends.ts'
import { runs } from '../../fixtures/runs.ts'
import { driven, noise } from './steps.ts'

const NOBLE = BACKENDS[1]!
const EVERY_BACKEND = [...BACKENDS, ALL_BY_WEB_CRYPTO]
const SIGNERS_AND_VERIFIERS = [...PAIRS, { from: ALL_BY_WEB_CRYPTO, to: NOBLE }, { from: NOBLE, to: ALL_BY_WEB_CRYPTO }]

/** The quick tier tests one hash that every platform has and one that a platform may lack. */
const HASHES: readonly HashName[] = (
  ['sha2-256', 'sha3-256', 'sha1', 'sha2-224', 'sha2-384', 'sha2-512', 'sha3-512'] as const
).slice(0, runs({ quick: 2, soak: 7 }))

/** Entropy of the application, which returns the same bytes for every key. */
const own = (seed: number): Entropy => ({ bytes: (n) => noise(n, seed) })

const scalarOf = (curve: CurveName): Uint8Array => BACKENDS[0]!.ecdsaGenerate(curve, (n) => noise(n, 21))

const waysToSign = (key: EcdsaSignKey, message: Uint8Array, hash: HashName, entropy: Entropy) =>
  [async () => key.signMessage(message, hash, entropy), () => driven(key.signMessageSteps(message, hash, entropy))] as const

const verdicts = async (key: EcdsaVerifyKey, signature: Uint8Array, message: Uint8Array, hash: HashName) => [
  key.verifyMessage(signature, message, hash),
  await driven(key.verifyMessageSteps(signature, message, hash)),
  key.verifyDigest(signature, NOBLE_HASHES[hash](message)),
]

const ALL_GOOD = [true, true, true]
const ALL_BAD = [false, false, false]

export function testSignedMessages(curve: CurveName): void {
  describe(`ECDSA message signatures on ${curve}`, () => {
    const scalar = scalarOf(curve)
    const { publicKey } = BACKENDS[0]!.ecdsaSign(curve, scalar)

    it.each(SIGNERS_AND_VERIFIERS)(
      'of $from.name are verified by $to.name for any hash, in one call and in steps',
      async ({ from, to }) => {
        const key = from.ecdsaSign(curve, scalar)
        const verifier = to.ecdsaVerify(curve, publicKey)
        expect(key.publicKey).toEqual(publicKey)
        for (const hash of HASHES) {
          const message = noise(70, hash.length)
          for (const signed of waysToSign(key, message, hash, systemEntropy())) {
            const signature = await signed()
            expect(signature).toHaveLength(publicKey.length - 1)
            expect(await verdicts(verifier, signature, message, hash)).toEqual(ALL_GOOD)
            expect(await verdicts(verifier, signature, message.subarray(1), hash)).toEqual(ALL_BAD)
            expect(
              await verdicts(
                verifier,
                signature.map((byte, i) => (i === 40 ? byte ^ 1 : byte)),
                message,
                hash,
              ),
            ).toEqual(ALL_BAD)
          }
        }
      },
    )

    it.each(EVERY_BACKEND)('of $name take all randomness from the entropy of the application', async (backend) => {
      const key = backend.ecdsaSign(curve, scalar)
      const message = noise(64)
      const expected = BACKENDS[0]!.ecdsaSign(curve, scalar).signDigest(NOBLE_HASHES['sha2-256'](message), noise(32, 5))
      for (const signed of waysToSign(key, message, 'sha2-256', own(5))) expect(await signed()).toEqual(expected)
      for (const signed of waysToSign(key, message, 'sha2-256', own(6))) expect(await signed()).not.toEqual(expected)
    })

    it.each(EVERY_BACKEND)('of $name differ each time with the system entropy', async (backend) => {
      const key = backend.ecdsaSign(curve, scalar)
      const made = new Set<string>()
      for (let i = 0; i < 4; i++)
        for (const signed of waysToSign(key, noise(64), 'sha2-256', systemEntropy())) made.add(String(await signed()))
      expect(made.size).toBe(8)
    })

    it.each(SIGNERS_AND_VERIFIERS)('of $from.name are verified by $to.name for empty and long messages', async ({ from, to }) => {
      const key = from.ecdsaSign(curve, scalar)
      const verifier = to.ecdsaVerify(curve, publicKey)
      for (const length of [0, 2_200_000]) {
        const message = noise(length, 3)
        const signature = await driven(key.signMessageSteps(message, 'sha2-256', systemEntropy()))
        expect(await driven(verifier.verifyMessageSteps(signature, message, 'sha2-256'))).toBe(true)
        expect(await driven(verifier.verifyMessageSteps(signature, noise(length + 1, 4), 'sha2-256'))).toBe(false)
      }
    })

    it.each(EVERY_BACKEND)('are rejected by $name if they are malformed', async (backend) => {
      const verifier = backend.ecdsaVerify(curve, publicKey)
      const good = backend.ecdsaSign(curve, scalar).signMessage(noise(9), 'sha2-256', systemEntropy())
      const bad = [good.subarray(1), new Uint8Array([...good, 0]), new Uint8Array(0), good.map(() => 0), good.map(() => 0xff)]
      for (const signature of bad) expect(await verdicts(verifier, signature, noise(9), 'sha2-256')).toEqual(ALL_BAD)
    })

    it.each(EVERY_BACKEND)('of $name fail after the key is wiped, before, during and after its first use', async (backend) => {
      for (const uses of [0, 1]) {
        const key = backend.ecdsaSign(curve, scalar)
        for (let i = 0; i < uses; i++) for (const signed of waysToSign(key, noise(9), 'sha2-256', systemEntropy())) await signed()
        const underWay = key.signMessageSteps(noise(2_200_000), 'sha2-256', systemEntropy())
        underWay.next()
        key.wipe()
        key.wipe()
        await expect(driven(underWay)).rejects.toThrow(TypeError)
        for (const entropy of [systemEntropy(), own(1)])
          for (const signed of waysToSign(key, noise(9), 'sha2-256', entropy)) await expect(signed()).rejects.toThrow(TypeError)
      }
    })
  })
}
