import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import fc from '../fixtures/fast-check.ts'
import { usePreparedRsaKeys } from '../fixtures/prepared-rsa-keys.ts'
import { anySize, ask, base64, flipBit, HASHES, joined, partsOf, RUNS, refusalOf, some } from './support.ts'

usePreparedRsaKeys()

const TYPES = [
  'aes128-gcm96',
  'aes256-gcm96',
  'chacha20-poly1305',
  'xchacha20-poly1305',
  'ed25519',
  'ecdsa-p256',
  'ecdsa-p384',
  'ecdsa-p521',
  'rsa-2048',
  'hmac',
] as const
const VERSIONS = 3

let kernel: Kernel

beforeAll(async () => {
  kernel = await createDevKernel()
  for (const type of TYPES) {
    await kernel.transit.createKey({ name: type, type })
    for (let version = 2; version <= VERSIONS; version++) await kernel.transit.rotateKey({ name: type })
  }
})
afterAll(() => kernel.close())

describe.each(HASHES)('a transit HMAC with %s', (hash_algorithm) => {
  it('is valid for its input and a key of any type, by path or typed call', async () => {
    const version = fc.nat({ max: VERSIONS })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TYPES), anySize, version, fc.boolean(), async (name, input, key_version, byPath) => {
        const typed = await kernel.transit.hmac({ name, input, hash_algorithm, key_version })
        const wired = await ask(kernel, 'POST', `hmac/${name}/${hash_algorithm}`, { input: base64(input), key_version })
        expect(wired.data).toEqual({ hmac: typed.hmac })
        expect(partsOf(typed.hmac).version).toBe(key_version || VERSIONS)
        const verified = byPath
          ? (await ask(kernel, 'POST', `verify/${name}/${hash_algorithm}`, { input: base64(input), hmac: typed.hmac })).data
          : await kernel.transit.verify({ name, input, hmac: typed.hmac, hash_algorithm })
        expect(verified).toEqual({ valid: true })
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('is invalid after a change to the HMAC, input, key version or hash', async () => {
    const name = fc.constantFrom(...TYPES)
    await fc.assert(
      fc.asyncProperty(name, some, fc.nat(), fc.nat({ max: 5 }), async (type, input, bit, what) => {
        const { hmac } = await kernel.transit.hmac({ name: type, input, hash_algorithm, key_version: 2 })
        const { prefix, body } = partsOf(hmac)
        const other = HASHES[(HASHES.indexOf(hash_algorithm) + 1 + (bit % (HASHES.length - 1))) % HASHES.length]!
        const forged = [
          { input, hmac: joined(prefix, 2, flipBit(body, bit)), hash_algorithm },
          { input: flipBit(input, bit), hmac, hash_algorithm },
          { input, hmac: joined(prefix, bit % 2 === 0 ? 1 : 3, body), hash_algorithm },
          { input, hmac: joined(prefix, 2, body.subarray(0, bit % body.length)), hash_algorithm },
          { input, hmac: joined(prefix, 2, new Uint8Array([...body, bit & 255])), hash_algorithm },
          { input, hmac, hash_algorithm: other },
        ][what]!
        expect(await kernel.transit.verify({ name: type, ...forged })).toEqual({ valid: false })
        const wire = { ...forged, input: base64(forged.input) }
        expect(await ask(kernel, 'POST', `verify/${type}`, wire)).toMatchObject({ status: 200, data: { valid: false } })
      }),
      { numRuns: RUNS },
    )
  })
})

describe('a malformed HMAC', () => {
  it.each([
    ['has no prefix', (text: string) => text.slice(1)],
    ['has no version', (text: string) => text.replace(':v2:', ':v:')],
    ['has a version above the latest', (text: string) => text.replace(':v2:', `:v${VERSIONS + 1}:`)],
    ['has version 0', (text: string) => text.replace(':v2:', ':v0:')],
    ['is not base64', (text: string) => `${text}!`],
  ] as const)('is refused with status 400 if it %s', async (_, spoil) => {
    const input = new Uint8Array([1, 2, 3])
    const { hmac } = await kernel.transit.hmac({ name: 'hmac', input, key_version: 2 })
    const refusal = await refusalOf(kernel.transit.verify({ name: 'hmac', input, hmac: spoil(hmac) }))
    expect(refusal.status).toBe(400)
    const batch = await kernel.transit.verifyBatch({
      name: 'hmac',
      batch_input: [
        { input, hmac: spoil(hmac) },
        { input, hmac },
      ],
    })
    expect(batch.batch_results[0]?.error?.status).toBe(400)
    expect(batch.batch_results[1]).toMatchObject({ valid: true })
  })
})
