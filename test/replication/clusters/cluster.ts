/**
 * Clusters of one process, on memory storages and a network of their own.
 */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { createKernel, inProcessNetwork, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'

export interface Clusters {
  /** A cluster outside of any set. */
  make(options?: Partial<Parameters<typeof createKernel>[0]>): Promise<Kernel>
}

export function clusters(): Clusters {
  const replication = inProcessNetwork()
  let made = 0
  return {
    make: (options = {}) =>
      createKernel({
        storage: memoryStorage({ maxOps: 128 }),
        seal: keySeal(new Uint8Array(32).fill(++made)),
        initialize: true,
        // Synchronous, so the fake clock cannot overtake it, and faster than the noble backend.
        crypto: nodeCrypto(),
        ports: { replication },
        ...options,
      }),
  }
}

/** An activation token of a primary. */
export async function tokenOf(primary: Kernel, id: string, forward: 'policies' | 'app' = 'policies'): Promise<string> {
  const { wrap_info } = await primary.replication.createSecondaryToken({ id, forward })
  return wrap_info?.token ?? ''
}

/** A primary and a secondary in sync with it. */
export async function pair({ make }: Clusters, forward: 'policies' | 'app' = 'policies'): Promise<readonly [Kernel, Kernel]> {
  const primary = await make()
  const secondary = await make()
  await primary.kv.writeSecret({ path: 'before', data: { at: 'the beginning' } })
  await primary.replication.enablePrimary()
  await secondary.replication.enableSecondary({ token: await tokenOf(primary, 'one', forward) })
  const { failed } = await secondary.tick()
  if (failed.length > 0) throw failed[0]?.error
  return [primary, secondary]
}

/** The Merkle root of a cluster. */
export const rootOf = async (kernel: Kernel): Promise<string | undefined> => (await kernel.replication.readStatus()).merkle_root
