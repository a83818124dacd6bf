/**
 * Key rings with very many versions are restored, exported and backed up without blocking the process for long.
 */

import { afterEach, describe, it } from 'vitest'
import { createDevKernel, type Kernel, memoryStorage } from '../../src/index.ts'
import { manyVersions } from '../fixtures/backups.ts'
import { runs } from '../fixtures/runs.ts'
import { watched } from './watched.ts'

let kernel: Kernel
afterEach(() => kernel.close())

const RINGS = [
  ['aes', runs({ quick: 3000, soak: 9000 })],
  ['p-521', runs({ quick: 200, soak: 1000 })],
  ['rsa-2048', runs({ quick: 200, soak: 1000 })],
] as const

describe('a transit key with very many versions', () => {
  it.each(RINGS)(
    'of type %s with %i versions is restored, exported and backed up without blocking the event loop',
    async (kind, count) => {
      const backup = manyVersions(kind, count)
      const key_type = kind === 'aes' ? 'encryption-key' : 'signing-key'
      kernel = await createDevKernel({ storage: memoryStorage({ maxOps: 128 }) })
      const { transit } = kernel
      await watched(async () => {
        await transit.restoreKey({ backup, force: true })
      })
      await watched(() => transit.exportKey({ key_type, name: 'planted' }))
      await watched(() => transit.backupKey({ name: 'planted' }))
      await watched(() => transit.restoreKey({ backup, force: true }))
      // Restoring without `force` needs a new name at each attempt.
      let attempt = 0
      await watched(() => transit.restoreKey({ backup, name: `planted-${attempt++}` }))
    },
  )

  it('returns its public keys for a context without blocking the event loop', async () => {
    const backup = manyVersions('derived ed25519', 600, { derived: true, kdf: 1 })
    kernel = await createDevKernel({ storage: memoryStorage({ maxOps: 128 }) })
    const { transit } = kernel
    await transit.restoreKey({ backup })
    for (const bytes of [8, 65_536].slice(0, runs({ quick: 1, soak: 2 })))
      await watched(() => transit.readKey({ name: 'planted', context: new Uint8Array(bytes) }))
  })
})
