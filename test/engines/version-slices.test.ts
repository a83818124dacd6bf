/**
 * Work that grows with the number of key versions must not block the event loop. The duration is measured in
 * `large/rings.measured.slow.test.ts`.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import { type CryptoBackend, createDevKernel, type Kernel, memoryStorage } from '../../src/index.ts'
import { manyVersions } from '../fixtures/backups.ts'
import { bytesOf } from '../property/support.ts'

const VERSIONS = 24
/** A slice takes 2.5 ms, and deriving an Ed25519 key pair half of that. */
const MAX_PER_TURN = 8

let kernel: Kernel
afterEach(() => kernel.close())

/** Counts the key pairs derived in each turn of the event loop. */
function turnCounting(): { readonly crypto: CryptoBackend; most(): number } {
  const backend = nobleCrypto()
  let [inTurn, most] = [0, 0]
  const crypto: CryptoBackend = {
    ...backend,
    ed25519Sign(seed) {
      if (inTurn++ === 0)
        setImmediate(() => {
          inTurn = 0
        })
      most = Math.max(most, inTurn)
      return backend.ed25519Sign(seed)
    },
  }
  return { crypto, most: () => most }
}

describe('transit.readKey for a derived Ed25519 key with a context', () => {
  it('lets the event loop run after every few versions that it derives', async () => {
    const { crypto, most } = turnCounting()
    const storage = memoryStorage()
    kernel = await createDevKernel({ crypto, storage, cache: { keys: 4 } })
    await kernel.transit.restoreKey({ backup: manyVersions('derived ed25519', VERSIONS, { derived: true, kdf: 1 }) })
    for (let round = 0; round < 2; round++) {
      const { keys } = await kernel.transit.readKey({ name: 'planted', context: bytesOf(8, 1) })
      expect(Object.keys(keys)).toHaveLength(VERSIONS)
      for (const shown of Object.values(keys)) expect(shown).toMatchObject({ public_key: expect.stringMatching(/^[\w+/]{43}=$/) })
    }
    expect(most()).toBeLessThanOrEqual(MAX_PER_TURN)
  })

  it('refuses a context that is too long', async () => {
    kernel = await createDevKernel({})
    await kernel.transit.createKey({ name: 'k', type: 'ed25519', derived: true })
    await expect(kernel.transit.readKey({ name: 'k', context: new Uint8Array(131_073) })).rejects.toMatchObject({ status: 400 })
  })
})
