/** Clusters whose stores the tests can read, decrypted by their own kernels. */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { composeKernel } from '../../../src/compose-kernel.ts'
import type { KernelInternals } from '../../../src/core/kernel/assemble.ts'
import {
  inProcessNetwork,
  type Kernel,
  type KernelOptions,
  keySeal,
  memoryStorage,
  type ReplicationTransport,
  type Storage,
} from '../../../src/index.ts'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from '../../fixtures/all-engines.ts'
import { type Kind, ticked, tokenOf } from './kinds.ts'

export interface Site {
  readonly kernel: Kernel
  readonly internals: KernelInternals
  readonly storage: Storage
  readonly reads: Reads
  /** Distinguishes its seal from those of other clusters. */
  readonly seal: number
  /** The address of its first kernel. */
  readonly address: string
}

/** The decrypted records below a prefix, by key, in hexadecimal. */
export async function recordsOf({ internals, storage }: Site, prefix: string): Promise<ReadonlyMap<string, string>> {
  const stored = await storage.scan(prefix)
  const opened = await internals.host.store.decryptAll(stored)
  return new Map(stored.map(({ key }, at) => [key, Buffer.from(opened[at]?.value ?? []).toString('hex')]))
}

/** The records of class `l` without those of replication. */
export async function localRecordsOf(site: Site): Promise<ReadonlyMap<string, string>> {
  const all = await recordsOf(site, 'l/')
  return new Map([...all].filter(([key]) => !/\/replication(?:-[a-z]+)?\//.test(key)))
}

/** Counts the transferred bytes. */
export interface CountedNetwork extends ReplicationTransport {
  bytes: number
}

export function countedNetwork(): CountedNetwork {
  const inner = inProcessNetwork()
  const counted: CountedNetwork = {
    bytes: 0,
    listen: (address, handler) => inner.listen(address, handler),
    async request(address, bytes, signal) {
      const answer = await inner.request(address, bytes, signal)
      counted.bytes += bytes.length + answer.length
      return answer
    },
  }
  return counted
}

/** Counts reads of lost writes. */
export interface Reads {
  keys: number
  /** The largest number of keys in one read. */
  most: number
}

/** @param reads The counters to update. */
function countedStorage(inner: Storage, reads: Reads): Storage {
  return {
    ...inner,
    getMany(keys) {
      reads.keys += keys.filter((key) => key.includes('/quarantine/')).length
      return inner.getMany(keys)
    },
    list(prefix, page) {
      if (prefix.endsWith('/quarantine/') && page?.delimiter !== undefined)
        reads.most = Math.max(reads.most, page.limit ?? Number.POSITIVE_INFINITY)
      return inner.list(prefix, page)
    },
  }
}

export class Sites {
  readonly network = countedNetwork()
  readonly #kernels: Kernel[] = []
  #made = 0

  /** A new cluster with the address `site-1` and so on. */
  open(options: Partial<KernelOptions> = {}): Promise<Site> {
    const reads = { keys: 0, most: 0 }
    return this.#open(countedStorage(memoryStorage({ maxOps: 128 }), reads), reads, ++this.#made, {
      replication: { clusterAddress: `site-${this.#made}` },
      ...options,
    })
  }

  /** A cluster with key shares, from which operation tokens can be created. */
  async openWithShares(): Promise<Site & { readonly shares: readonly string[]; readonly root: string }> {
    const site = await this.open({ initialize: false })
    const { recovery_keys = [], root_token: root } = await site.kernel.seal.initialize({
      recovery_shares: 2,
      recovery_threshold: 2,
    })
    return { ...site, shares: recovery_keys, root }
  }

  /** Another kernel of the same cluster. */
  openSecondKernel({ storage, reads, seal }: Site): Promise<Site> {
    return this.#open(storage, reads, seal, {})
  }

  async #open(storage: Storage, reads: Reads, seal: number, options: Partial<KernelOptions>): Promise<Site> {
    const { kernel, internals } = await composeKernel(
      {
        storage,
        seal: keySeal(new Uint8Array(32).fill(seal)),
        initialize: true,
        crypto: nodeCrypto(),
        ports: { replication: this.network },
        ...options,
      },
      ENGINES,
      SYSTEM,
      FRESH_MOUNTS,
    )
    this.#kernels.push(kernel)
    return { kernel, internals, storage, reads, seal, address: `site-${seal}` }
  }

  async close(): Promise<void> {
    await Promise.all(this.#kernels.map((kernel) => kernel.close()))
  }
}

export interface Split {
  readonly former: Site
  readonly now: Site
}

interface Parting {
  /** The cluster that will be replaced. */
  readonly former?: Site
  readonly before?: (former: Kernel) => Promise<unknown>
  readonly alone: (former: Kernel, site: Site) => Promise<unknown>
}

/** Two clusters after a forced promotion. `alone` runs on the former primary only. */
export async function split(sites: Sites, kind: Kind, { former: formerPrimary, before, alone }: Parting): Promise<Split> {
  const former = formerPrimary ?? (await sites.open())
  const now = await sites.open()
  await before?.(former.kernel)
  await kind.of(former.kernel).enablePrimary()
  await kind.of(now.kernel).enableSecondary({ token: await tokenOf(kind, former.kernel, 'one') })
  await ticked(now.kernel)
  await kind.of(now.kernel).promote({ force: true })
  await alone(former.kernel, former)
  await now.kernel.kv.writeSecret({ path: 'new', data: { v: 'of the successor' } })
  return { former, now }
}
