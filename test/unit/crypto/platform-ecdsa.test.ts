/** The default backend signs and verifies with the platform. It must decide like noble alone, and leave turns of the event loop to others. */
import '../../fixtures/loaded-curves.ts'
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { systemEntropy } from '../../../src/core/base/entropy.ts'
import type { Steps } from '../../../src/core/base/steps.ts'
import type { CurveName, EcdsaVerifyKey } from '../../../src/core/crypto/backend.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { createDevKernel } from '../../../src/index.ts'
import { ALL_BY_WEB_CRYPTO } from '../../fixtures/backends.ts'
import { runs } from '../../fixtures/runs.ts'
import { driven, noise } from './steps.ts'

const NOBLE = nobleCrypto({ accelerate: false })
const BACKENDS = [
  { name: 'the default backend', crypto: nobleCrypto() },
  { name: 'nodeCrypto()', crypto: nodeCrypto() },
  { name: 'WebCrypto', crypto: ALL_BY_WEB_CRYPTO },
]
const CURVES = [
  ['P-256', 32],
  ['P-384', 48],
  ['P-521', 66],
] as const
const MESSAGE = noise(50, 3)

const scalarOf = (curve: CurveName): Uint8Array => NOBLE.ecdsaGenerate(curve, (n) => noise(n, 21))

/** The message of the error that `work` throws. */
function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return String(error)
  }
  throw new Error('not refused')
}

describe.each(BACKENDS)('ECDSA by $name', ({ crypto }) => {
  it.each(CURVES)('has the verdicts of noble for altered signatures on %s', async (curve, size) => {
    const signing = NOBLE.ecdsaSign(curve, scalarOf(curve))
    const keys: readonly EcdsaVerifyKey[] = [crypto, NOBLE].map((one) => one.ecdsaVerify(curve, signing.publicKey))
    const good = signing.signMessage(MESSAGE, 'sha2-256', systemEntropy())
    const step = curve === 'P-256' ? 1 : runs({ quick: 13, slow: 1 })
    const bits = Array.from({ length: Math.ceil((2 * size) / step) }, (_, n) => n * step)
    const altered = [
      good,
      ...bits.map((at) => good.with(at, good[at]! ^ 1)),
      good.subarray(1),
      new Uint8Array([0, ...good]),
      new Uint8Array([...good.subarray(size), ...good.subarray(0, size)]),
      new Uint8Array([...good.subarray(0, size), ...new Uint8Array(size)]),
      new Uint8Array([...new Uint8Array(size), ...good.subarray(size)]),
      new Uint8Array([...good.subarray(0, size), ...new Uint8Array(size).fill(0xff)]),
    ]
    for (const signature of altered) {
      const [own, expected] = keys.map((key) => key.verifyMessage(signature, MESSAGE, 'sha2-256'))
      expect(expected).toBe(signature === good)
      expect([own, await driven(keys[0]!.verifyMessageSteps(signature, MESSAGE, 'sha2-256'))]).toEqual([expected, expected])
    }
  })

  it.each(CURVES)('refuses invalid keys on %s with the messages of noble', (curve, size) => {
    const scalars = [new Uint8Array(size), new Uint8Array(size).fill(0xff), new Uint8Array(size - 1).fill(1), new Uint8Array(0)]
    for (const scalar of scalars)
      expect(refusalOf(() => crypto.ecdsaSign(curve, scalar))).toBe(refusalOf(() => NOBLE.ecdsaSign(curve, scalar)))
    const { publicKey } = NOBLE.ecdsaSign(curve, scalarOf(curve))
    const points = [
      publicKey.with(size, publicKey[size]! ^ 1),
      publicKey.with(0, 6 + (publicKey.at(-1)! & 1)),
      publicKey.subarray(1),
      new Uint8Array(2 * size + 1).fill(0xff).with(0, 4),
      new Uint8Array(2 * size + 1).with(0, 4),
      new Uint8Array(1),
    ]
    for (const point of points)
      expect(refusalOf(() => crypto.ecdsaVerify(curve, point))).toBe(refusalOf(() => NOBLE.ecdsaVerify(curve, point)))
  })
})

describe.each(['P-384', 'P-521'] as const)('the default backend on %s', (curve) => {
  const crypto = nobleCrypto()
  const key = crypto.ecdsaSign(curve, scalarOf(curve))
  const verifier = crypto.ecdsaVerify(curve, key.publicKey)

  it('waits for another turn of the event loop before each signature and each verification in steps', async () => {
    expect(MESSAGE.length).toBeGreaterThan(key.shortBytes)
    expect(MESSAGE.length).toBeGreaterThan(verifier.shortBytes)
    const signing = key.signMessageSteps(MESSAGE, 'sha2-256', systemEntropy())
    expect(signing.next().value).toBeInstanceOf(Promise)
    signing.return(new Uint8Array())
    const signature = key.signMessage(MESSAGE, 'sha2-256', systemEntropy())
    const verification = verifier.verifyMessageSteps(signature, MESSAGE, 'sha2-256')
    expect(verification.next().value).toBeInstanceOf(Promise)
    verification.return(false)
  })

  it('uses the message and the signature as they were at the call, if their owner overwrites them meanwhile', async () => {
    const message = MESSAGE.slice()
    const signing = key.signMessageSteps(message, 'sha2-256', systemEntropy())
    const signed = resumed(signing)
    message.fill(0)
    const signature = await signed
    expect(verifier.verifyMessage(signature, MESSAGE, 'sha2-256')).toBe(true)
    message.set(MESSAGE)
    const given = signature.slice()
    const verdict = resumed(verifier.verifyMessageSteps(given, message, 'sha2-256'))
    message.fill(0)
    given.fill(0)
    expect(await verdict).toBe(true)
  })

  it('has the right results if more calls run at once than the thread pool takes', async () => {
    const signatures = await Promise.all(
      Array.from({ length: 20 }, () => driven(key.signMessageSteps(MESSAGE, 'sha2-256', systemEntropy()))),
    )
    const verdicts = signatures.map((signature) => driven(verifier.verifyMessageSteps(signature, MESSAGE, 'sha2-256')))
    expect(new Set(await Promise.all(verdicts))).toEqual(new Set([true]))
  })

  it('has free places in the thread pool after many calls were abandoned', async () => {
    for (let i = 0; i < 20; i++) {
      const abandoned = key.signMessageSteps(MESSAGE, 'sha2-256', systemEntropy())
      abandoned.next()
      abandoned.return(new Uint8Array())
    }
    const signature = await driven(key.signMessageSteps(MESSAGE, 'sha2-256', systemEntropy()))
    expect(verifier.verifyMessage(signature, MESSAGE, 'sha2-256')).toBe(true)
  })

  it('throws for a signature whose key is wiped while the thread pool makes it', async () => {
    const wiped = crypto.ecdsaSign(curve, scalarOf(curve))
    const signed = resumed(wiped.signMessageSteps(MESSAGE, 'sha2-256', systemEntropy()))
    wiped.wipe()
    await expect(signed).rejects.toThrow(TypeError)
  })
})

/** Makes the first step now. */
function resumed<T>(steps: Steps<T>): Promise<T> {
  const first = steps.next()
  return (async () => {
    if (first.done) return first.value
    await first.value
    return driven(steps)
  })()
}

describe('a kernel with the default backend', () => {
  it('lets other work run between concurrent signatures on P-521', async () => {
    await using kernel = await createDevKernel()
    const name = 'large'
    await kernel.transit.createKey({ name, type: 'ecdsa-p521' })
    const order: string[] = []
    const signatures = Array.from({ length: 8 }, async () => {
      await kernel.transit.sign({ name, input: MESSAGE })
      order.push('signature')
    })
    const timer = new Promise<void>((resolve) =>
      setImmediate(() => {
        order.push('other work')
        resolve()
      }),
    )
    await Promise.all([...signatures, timer])
    expect(order.indexOf('other work')).toBeLessThan(4)
  })
})
