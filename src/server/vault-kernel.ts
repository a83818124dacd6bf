/** The kernel of a dev server: in memory, with Vault's names and mounts. */
import type { Clock } from '../core/base/clock.ts'
import { type Entropy, systemEntropy } from '../core/base/entropy.ts'
import type { Ports } from '../core/contract/ports.ts'
import type { InitialMount } from '../core/kernel/first-records.ts'
import { keySeal } from '../core/seal/key-seal.ts'
import { memoryStorage } from '../core/storage/memory-storage.ts'
import type { Kernel } from '../kernel.ts'
import { openKernel } from '../open-kernel.ts'
import { applySeed } from '../seed/apply-seed.ts'
import { useRootToken } from '../seed/root-token.ts'
import type { Seed } from '../seed/seed.ts'

export interface VaultKernelSettings {
  readonly rootToken: string
  readonly seed: Seed
  readonly clock: Clock | undefined
  readonly entropy: Entropy | undefined
  readonly ports: Ports | undefined
}

/** The mounts of a Vault server in development mode. Clients mount everything else themselves. */
const DEV_MOUNTS: readonly InitialMount[] = [
  { path: 'secret/', type: 'kv', description: 'key/value secret storage', options: { version: '2' } },
]

const VAULT = { ciphertextPrefix: 'vault', headerPrefix: 'X-Vault' }

/** Opens a kernel with the mounts of Vault's development mode and with the seed. */
export async function openVaultKernel({ rootToken, seed, clock, entropy, ports }: VaultKernelSettings): Promise<Kernel> {
  const options = {
    storage: memoryStorage(),
    seal: keySeal((entropy ?? systemEntropy()).bytes(32)),
    initialize: true,
    naming: VAULT,
    ...(clock && { clock }),
    ...(entropy && { entropy }),
    ...(ports && { ports }),
  }
  const kernel = await useRootToken(await openKernel(options, DEV_MOUNTS), rootToken)
  try {
    await applySeed(kernel, seed)
    kernel.start({ unref: true })
    return kernel
  } catch (error) {
    await kernel.close()
    throw error
  }
}
