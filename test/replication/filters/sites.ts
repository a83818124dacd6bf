/** Clusters whose internals, including their stores, a test can read. */
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { composeKernel } from '../../../src/compose-kernel.ts'
import type { KernelInternals } from '../../../src/core/kernel/assemble.ts'
import {
  type CryptoBackend,
  inProcessNetwork,
  keySeal,
  type MemoryStorage,
  memoryStorage,
  type ReplicationTransport,
} from '../../../src/index.ts'
import type { Kernel } from '../../../src/kernel.ts'
import { readLog } from '../../../src/sys/replication/log/log-pages.ts'
import { type FakeClock, fakeClock } from '../../../src/testing/index.ts'
import { ENGINES, FRESH_MOUNTS, SYSTEM } from '../../fixtures/all-engines.ts'

export interface Site {
  readonly kernel: Kernel
  readonly internals: KernelInternals
  readonly storage: MemoryStorage
}

export interface SitesParts {
  readonly network: ReplicationTransport
  readonly crypto?: CryptoBackend
}

export class Sites {
  readonly clock: FakeClock = fakeClock(1_700_000_000_000)
  readonly #parts: SitesParts
  #made = 0

  constructor(parts: SitesParts = { network: inProcessNetwork() }) {
    this.#parts = parts
  }

  async open(storage: MemoryStorage = memoryStorage({ maxOps: 128 }), seal = ++this.#made): Promise<Site> {
    const { network, crypto = nodeCrypto() } = this.#parts
    const options = {
      storage,
      seal: keySeal(new Uint8Array(32).fill(seal)),
      initialize: true,
      clock: this.clock,
      ports: { replication: network },
      crypto,
    }
    return { ...(await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)), storage }
  }

  async primary(): Promise<Site> {
    const site = await this.open()
    await site.kernel.replication.enablePrimary()
    return site
  }

  async secondary(primary: Site, id: string, filter?: Filter): Promise<Site> {
    const site = await this.open()
    const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id, forward: 'app' })
    if (filter) await primary.kernel.replication.writePathsFilter({ id, ...filter })
    await site.kernel.replication.enableSecondary({ token: wrap_info?.token ?? '' })
    await settle(site)
    return site
  }
}

export interface Filter {
  readonly mode?: 'allow' | 'deny'
  readonly paths?: readonly string[]
}

/** Ticks until there is nothing to do. @throws the first failure. */
export async function settle(...sites: readonly Site[]): Promise<void> {
  for (let turn = 0; turn < 6; turn++)
    for (const { kernel } of sites) {
      const { failed } = await kernel.tick()
      if (failed.length > 0) throw failed[0]?.error
    }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** The whole content of a store, decrypted, including keys and log: one text for each record. */
export async function contentsOf({ internals, storage }: Site): Promise<readonly string[]> {
  const { store } = internals.host
  const texts: string[] = []
  for (const { key, value, version } of await storage.scan('')) {
    const [opened] = await store.decryptAll([{ key, value, version }]).catch(() => [])
    texts.push(`${key}\n${textOf(opened?.value ?? value)}`)
  }
  const [first] = await store.list('i/replication/log/', { limit: 1 })
  for (let entry = Number(first ?? 1) - 1; ; ) {
    const frames = await readLog(store, entry)
    if (!frames || frames.length === 0) return texts
    for (const { entry: last, ops } of frames) {
      entry = last
      for (const op of ops) {
        const [opened] = op.op === 'put' ? await store.decryptAll([{ ...op, version: 0 }]) : []
        texts.push(`log ${last} ${op.op} ${op.key}\n${opened ? textOf(opened.value) : ''}`)
      }
    }
  }
}

/** Returns the texts that contain one of the marks. */
export const marked = (texts: readonly string[], ...marks: readonly string[]): readonly string[] =>
  texts.filter((text) => marks.some((mark) => text.includes(mark)))

/** The full paths of a cluster's mounts, without local and built-in ones. */
export function mountsOf({ internals: { topology } }: Site): readonly string[] {
  const found: string[] = []
  for (const namespace of [topology.namespaces.byPath('')!, ...topology.namespaces.below('')])
    for (const { record, engine } of topology.mounts.of(namespace))
      if (engine.mounts !== 'system' && !record.local && record.path !== 'auth/token/' && record.path !== 'identity/')
        found.push(namespace.path + record.path)
  return found.sort()
}

/** The uuid of the mount at a path. */
export function uuidOf({ internals: { topology } }: Site, namespace: string, path: string): string {
  const at = topology.namespaces.byPath(namespace)
  const found = at && topology.mounts.of(at).find(({ record }) => record.path === path)
  if (!found) throw new Error(`no mount at ${namespace}${path}`)
  return found.record.uuid
}

export const rootOf = async ({ kernel }: Site): Promise<string | undefined> => (await kernel.replication.readStatus()).merkle_root
