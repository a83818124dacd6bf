/**
 * Properties of every key type that signs, by path and typed call.
 */

import { createPublicKey, verify as verifyByOpenssl } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HashName } from '../../src/core/crypto/backend.ts'
import type { KeyTypeName } from '../../src/engines/transit/key-types/index.ts'
import type { Kernel } from '../../src/index.ts'
import { createRsaKey } from '../engines/import-blob.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { kernelWithWrappingKey } from '../fixtures/wrapping-kernel.ts'
import { ask, base64, bytesOf, FEW, flipBit, HASHES, RSA_OF_TIER, small, some } from './support.ts'

const KEYS = [
  { name: 'ed25519', type: 'ed25519', derived: false },
  { name: 'ed25519-derived', type: 'ed25519', derived: true },
  { name: 'ecdsa-p256', type: 'ecdsa-p256', derived: false },
  { name: 'ecdsa-p384', type: 'ecdsa-p384', derived: false },
  { name: 'ecdsa-p521', type: 'ecdsa-p521', derived: false },
  ...RSA_OF_TIER.map((type) => ({ name: type, type, derived: false })),
] as const

const VERSIONS = 3
/** One verification takes several milliseconds on the large curves. */
const SIGNATURE_RUNS = runs({ quick: 8, soak: 300 })

interface Rules {
  readonly hash_algorithm: HashName | 'none'
  readonly signature_algorithm: 'pss' | 'pkcs1v15'
  readonly marshaling_algorithm: 'asn1' | 'jws'
  readonly salt_length: 'auto' | 'hash' | number
}

const rules: fc.Arbitrary<Rules> = fc.record({
  hash_algorithm: fc.constantFrom(...HASHES),
  signature_algorithm: fc.constantFrom('' as 'pss', 'pss', 'pkcs1v15'),
  marshaling_algorithm: fc.constantFrom('asn1', 'jws'),
  salt_length: fc.constantFrom<Rules['salt_length']>('auto', 'hash', 20, 0, -1),
})

interface Signed {
  readonly input: Uint8Array
  readonly signature: string
  readonly context?: Uint8Array
}

const wireOf = (item: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value instanceof Uint8Array ? base64(value) : value]))

const bodyOf = (signature: string): Uint8Array => Uint8Array.from(Buffer.from(signature.split(':')[2] ?? '', 'base64'))

function withBody(signature: string, body: Uint8Array, { marshaling_algorithm }: Rules, version?: number): string {
  const [prefix, own] = signature.split(':')
  const text = Buffer.from(body).toString(marshaling_algorithm === 'jws' ? 'base64url' : 'base64')
  return `${prefix}:${version === undefined ? own : `v${version}`}:${text}`
}

let kernel: Kernel

beforeAll(async () => {
  kernel = await kernelWithWrappingKey()
  for (const type of RSA_OF_TIER) await createRsaKey(kernel, type)
  for (const { name, type, derived } of KEYS.filter((key) => !key.name.startsWith('rsa'))) {
    await kernel.transit.createKey({ name, type: type as KeyTypeName, derived })
    for (let version = 2; version <= VERSIONS; version++) await kernel.transit.rotateKey({ name })
  }
})
afterAll(() => kernel.close())

/** Returns the result of verification or the status of the refusal. Call by path, typed call and batch must agree. */
async function verdict(name: string, how: Rules, signed: Signed): Promise<boolean | number> {
  const [typed] = await Promise.allSettled([kernel.transit.verify({ name, ...how, ...signed })])
  const batch = await kernel.transit.verifyBatch({ name, ...how, batch_input: [signed] })
  const byPath = await ask(kernel, 'POST', `verify/${name}`, { ...how, ...wireOf(signed) })
  const result = typed.status === 'fulfilled' ? typed.value.valid : (typed.reason as { status: number }).status
  expect(byPath.status).toBe(typeof result === 'boolean' ? 200 : result)
  if (typeof result === 'boolean') expect(byPath.data).toEqual({ valid: result })
  const [item] = batch.batch_results
  expect(item?.error ? item.error.status : item?.valid).toBe(result)
  return result
}

describe.each(KEYS)('the transit signing key $name', ({ name, derived }) => {
  const contextOf = (context: Uint8Array) => (derived ? { context } : {})

  it('verifies its own signatures with every hash and encoding, by path or typed call', async () => {
    await fc.assert(
      fc.asyncProperty(
        rules,
        small,
        some,
        fc.nat({ max: VERSIONS }),
        fc.boolean(),
        async (how, input, context, key_version, path) => {
          const item = { input, ...contextOf(context) }
          const signed = path
            ? (await ask(kernel, 'POST', `sign/${name}`, { ...how, key_version, ...wireOf(item) })).data
            : await kernel.transit.sign({ name, ...how, key_version, ...item })
          expect(signed['key_version']).toBe(key_version || VERSIONS)
          expect(await verdict(name, how, { ...item, signature: String(signed['signature']) })).toBe(true)
        },
      ),
      { numRuns: SIGNATURE_RUNS },
    )
  })

  it('refuses a signature after a change to the signature, its version, the input or the context', async () => {
    await fc.assert(
      fc.asyncProperty(rules, some, some, fc.nat(), fc.nat({ max: 4 }), async (how, input, context, bit, what) => {
        const item = { input, ...contextOf(context) }
        const { signature } = await kernel.transit.sign({ name, ...how, key_version: 2, ...item })
        const body = bodyOf(signature)
        const forged: Signed[] = [
          { ...item, signature: withBody(signature, flipBit(body, bit), how) },
          { ...item, signature, input: flipBit(input, bit) },
          { ...item, signature: withBody(signature, body, how, bit % 2 === 0 ? 1 : 3) },
          { ...item, signature: withBody(signature, body.subarray(0, bit % body.length), how) },
          derived
            ? { ...item, signature, context: flipBit(context, bit) }
            : { ...item, signature: withBody(signature, new Uint8Array([...body, bit & 255]), how) },
        ]
        expect([false, 400]).toContain(await verdict(name, how, forged[what]!))
      }),
      { numRuns: SIGNATURE_RUNS * 1.5 },
    )
  })

  it('verifies its own signature of an input of 128 KiB or more, and refuses it after a change of one bit', async () => {
    const how: Rules = {
      hash_algorithm: 'sha2-256',
      signature_algorithm: '' as 'pss',
      marshaling_algorithm: 'asn1',
      salt_length: 'auto',
    }
    for (const length of [131_072, 131_073, 400_000]) {
      const item = { input: bytesOf(length, 9), ...contextOf(bytesOf(5, 9)) }
      const { signature } = await kernel.transit.sign({ name, ...how, ...item })
      expect(await verdict(name, how, { ...item, signature })).toBe(true)
      expect(await verdict(name, how, { ...item, signature, input: flipBit(item.input, length * 7) })).toBe(false)
    }
  })
})

describe('the exported public key of a transit key', () => {
  const types = KEYS.filter(({ derived }) => !derived)

  it.each(types)("of type $name verifies the key's signatures in OpenSSL", async ({ name, type }) => {
    const { keys } = await kernel.transit.readKey({ name })
    const shown = keys[VERSIONS] as { public_key: string }
    const publicKey =
      type === 'ed25519'
        ? createPublicKey({
            key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(shown.public_key, 'base64').toString('base64url') },
            format: 'jwk',
          })
        : createPublicKey(shown.public_key)
    await fc.assert(
      fc.asyncProperty(small, async (input) => {
        const { signature } = await kernel.transit.sign({ name, input, signature_algorithm: 'pkcs1v15' })
        const hash = type === 'ed25519' ? null : 'sha256'
        expect(verifyByOpenssl(hash, input, publicKey, bodyOf(signature))).toBe(true)
      }),
      { numRuns: FEW },
    )
  })
})
