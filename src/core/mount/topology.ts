/**
 * The store's namespaces and mounts, in memory.
 *
 * Tables are replaced and never changed, so a value derived from a table, such as a cached route, is valid while the table is the same
 * object.
 */
import { KernelError } from '../base/errors.ts'
import type { Engine } from '../contract/engine.ts'
import { KernelService } from '../contract/kernel-service.ts'
import { isAuth, LOCAL_MOUNT, MOUNT, type MountRecord, mountKind } from '../contract/mount-record.ts'
import { NAMESPACE, type NamespaceRecord, ROOT_NAMESPACE } from '../contract/namespace.ts'
import { decodeRecord } from '../contract/record-kind.ts'
import { isBecomingSecondary } from '../log/role.ts'
import type { Change } from '../storage/port.ts'
import { CORE, coreRecordKey } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import { Keyspace, type KeyspaceRules } from '../transaction/keyspace.ts'
import { readEach } from '../transaction/read-each.ts'
import type { DecryptedRecord, Store } from '../transaction/store.ts'
import { KERNEL_MOUNT } from './kernel-mount.ts'
import { Mount } from './mount.ts'
import { MountTable } from './mount-table.ts'
import { NamespaceTable } from './namespace-table.ts'

/** The key prefix of a kind of the kernel's own records. */
export const coreKey = (kind: { readonly class: string; readonly folder: string }): string =>
  `${kind.class}/${CORE}/${kind.folder}/`

/** The key prefixes of mount records. */
const MOUNTS = [coreKey(MOUNT), coreKey(LOCAL_MOUNT)]

const folderOf = (key: string): string | undefined => MOUNTS.find((folder) => key.startsWith(folder))

const NAMESPACES = coreKey(NAMESPACE)

interface Stored<T> {
  readonly key: string
  readonly record: T
  readonly version: number
}

/** The mounts and namespaces of the kernel that an operation runs in. */
export const TOPOLOGY = /* @__PURE__ */ new KernelService<Topology>()

export class Topology {
  readonly #host: Host
  readonly #engines: ReadonlyMap<string, Engine>
  readonly #namespaceRecords = new Map<string, Stored<NamespaceRecord>>()
  readonly #mountRecords = new Map<string, Stored<Mount>>()
  #tables = { namespaces: new NamespaceTable([]), mounts: new MountTable([]) }
  /** Keys changed since the last load, by any process; null means that everything must be loaded. */
  #changed: Set<string> | null = null
  #loading: Promise<void> | undefined

  constructor(host: Host, engines: readonly Engine[]) {
    this.#host = host
    this.#engines = new Map(engines.flatMap((engine) => [engine.type, ...(engine.aliases ?? [])].map((name) => [name, engine])))
    host.cache.onChange((change) => this.#note(change))
  }

  get namespaces(): NamespaceTable {
    return this.#tables.namespaces
  }

  get mounts(): MountTable {
    return this.#tables.mounts
  }

  /** A new object after every change. */
  get current(): object {
    return this.#tables
  }

  get engines(): readonly Engine[] {
    return [...new Set(this.#engines.values())]
  }

  /** The engine of a type or of one of its aliases. */
  engine(type: string): Engine | undefined {
    return this.#engines.get(type)
  }

  /** Undefined if the tables are up to date, which is the usual case; otherwise a promise that resolves when they are. */
  fresh(): Promise<void> | undefined {
    const { freshness } = this.#host
    return freshness.isFresh() ? this.#loaded() : freshness.renew().then(() => this.#loaded())
  }

  /** Undefined if all reported changes are loaded. */
  #loaded(): Promise<void> | undefined {
    if (this.#changed?.size === 0 && !this.#loading) return undefined
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading.then(() => this.#loaded())
  }

  /** A mount, even if it is being removed. For jobs that clean up after it. */
  holder(uuid: string): Mount | undefined {
    return this.#mountRecords.get(uuid)?.record
  }

  /** The records of a namespace's mounts, even if the namespace is being removed. Mounts that are being removed are omitted. */
  recordsIn(namespace: string): readonly MountRecord[] {
    return [...this.#mountRecords.values()]
      .map(({ record }) => record.record)
      .filter((record) => record.namespace === namespace && !record.ending)
  }

  /** Loads the current state of the store, including commits of other processes that were not reported yet. */
  async reload(): Promise<void> {
    if (this.#host.store.storage.caps.shared) this.#changed = null
    await this.#loaded()
  }

  /** The keyspace of the kernel's own records, for operations in `namespace`: their commits require that the namespace exists. */
  coreKeyspace(namespace: NamespaceRecord): Keyspace {
    return new Keyspace(CORE, this.#host, this.#namespaceRules(namespace))
  }

  #note({ keys }: Change): void {
    if (!keys) this.#changed = null
    for (const key of keys ?? []) if (folderOf(key) !== undefined || key.startsWith(NAMESPACES)) this.#changed?.add(key)
  }

  async #load(): Promise<void> {
    const changed = this.#changed
    this.#changed = new Set()
    try {
      if (changed) await this.#loadKeys([...changed])
      else await this.#loadAll()
    } catch (error) {
      this.#changed = null
      throw error
    }
    const mounts = [...this.#mountRecords.values()].map(({ record }) => record)
    const namespaces = new NamespaceTable([...this.#namespaceRecords.values()].map(({ record }) => record))
    // Mounts of a namespace that is being removed are invisible before their records are deleted.
    const visible = mounts.filter(({ record }) => namespaces.byUuid(record.namespace) && !record.ending)
    if (isBecomingSecondary(this.#host.store.commits.role) && !visible.some(({ record }) => isRootSystem(record)))
      visible.push(this.#mount(KERNEL_MOUNT))
    this.#tables = { namespaces, mounts: new MountTable(visible) }
  }

  /** Reads only records whose version has changed. */
  async #loadAll(): Promise<void> {
    for (const prefix of [NAMESPACES, ...MOUNTS]) {
      const records = prefix === NAMESPACES ? this.#namespaceRecords : this.#mountRecords
      const known = (key: string): number | undefined => records.get(key.slice(prefix.length))?.version
      const found = await this.#scan(prefix, (key, version) => known(key) !== version)
      const there = new Set(found.map(({ key }) => key))
      const gone = [...records.values()].filter(({ key }) => key.startsWith(prefix) && !there.has(key))
      for (const { key } of gone) this.#take(key, undefined)
      for (const { key, version, value } of found) if (value) this.#take(key, { version, value })
    }
  }

  async #loadKeys(keys: readonly string[]): Promise<void> {
    const { store } = this.#host
    const found = await store.getMany(keys).catch((error: unknown) => this.#readable(keys, error))
    keys.forEach((key, index) => {
      this.#take(key, found[index])
    })
  }

  async #scan(prefix: string, wanted: (key: string, version: number) => boolean): ReturnType<Store['scan']> {
    const { store } = this.#host
    try {
      return await store.scan(prefix, wanted)
    } catch (error) {
      const keys = (await store.list(prefix)).map((name) => prefix + name)
      const found = await this.#readable(keys, error)
      return keys.flatMap((key, at) => (found[at] ? [{ key, ...found[at] }] : []))
    }
  }

  /**
   * On a secondary, treats a record that cannot be read as missing: replication will restore it, which would be impossible if the cluster
   * served nothing.
   * @throws `error` on other clusters, and for records that only this cluster has.
   */
  async #readable(keys: readonly string[], error: unknown): Promise<readonly (DecryptedRecord | undefined)[]> {
    const { store } = this.#host
    const { isFollower: follows, isMirror: mirrors } = store.commits
    if (!follows) throw error
    return readEach(store, keys, error, (key) => mirrors || key.startsWith('r/'))
  }

  #take(key: string, found: { readonly value: Uint8Array; readonly version: number } | undefined): void {
    if (key.startsWith(NAMESPACES)) {
      const uuid = key.slice(NAMESPACES.length)
      if (!found) this.#namespaceRecords.delete(uuid)
      else this.#namespaceRecords.set(uuid, { key, record: decodeRecord(NAMESPACE, found.value), version: found.version })
      return
    }
    const uuid = key.slice(folderOf(key)?.length)
    const known = this.#mountRecords.get(uuid)
    if (!found) {
      if (known?.key !== key) return
      this.#mountRecords.delete(uuid)
      this.#forget(uuid)
      return
    }
    if (known?.key === key && known.version === found.version) return
    this.#mountRecords.set(uuid, { key, record: this.#mount(decodeRecord(MOUNT, found.value)), version: found.version })
  }

  /**
   * Drops the cached data of a removed mount. Key versions cannot be attributed to mounts here, so all are dropped and reloaded when
   * needed.
   */
  #forget(uuid: string): void {
    this.#host.keys.clear()
    this.#host.cache.forget(uuid)
  }

  #mount(record: MountRecord): Mount {
    const known = this.#engines.get(record.type) ?? absentEngine(record)
    const engine = known.variant?.(record) ?? known
    if (engine.keeps === 'core') {
      const rules = { fences: () => this.#namespaceFence(record.namespace), revalidate: () => this.#stillThere(record.namespace) }
      return new Mount(record, engine, CORE, this.#host, rules)
    }
    return new Mount(record, engine, record.uuid, this.#host, this.#mountRules(record, engine))
  }

  #mountRules(record: MountRecord, engine: Engine): KeyspaceRules {
    const { uuid } = record
    const key = coreRecordKey(mountKind(record), uuid)
    return {
      fences: () => [{ key, version: versionOf(this.#mountRecords.get(uuid), 'mount') }],
      isSynced: () => this.#mountRecords.get(uuid)?.record.record.synced === true,
      revalidate: async () => {
        await this.#again(key)
        const stored = this.#mountRecords.get(uuid)
        versionOf(stored, 'mount')
        // The mount's current engine would not find what this request would write.
        if (stored?.record.engine !== engine)
          throw new KernelError(
            'ERR_UNSUPPORTED_PATH',
            'the mount was changed to another version of its engine while the request ran; retry',
          )
      },
    }
  }

  #namespaceRules({ uuid }: NamespaceRecord): KeyspaceRules {
    return { fences: () => this.#namespaceFence(uuid), revalidate: () => this.#stillThere(uuid) }
  }

  #namespaceFence(uuid: string): { readonly key: string; readonly version: number }[] {
    if (uuid === ROOT_NAMESPACE.uuid) return []
    return [{ key: NAMESPACES + uuid, version: versionOf(this.#namespaceRecords.get(uuid), 'namespace') }]
  }

  async #stillThere(uuid: string): Promise<void> {
    if (uuid === ROOT_NAMESPACE.uuid) return
    await this.#again(NAMESPACES + uuid)
    versionOf(this.#namespaceRecords.get(uuid), 'namespace')
  }

  async #again(key: string): Promise<void> {
    this.#changed?.add(key)
    await this.#loaded()
  }
}

const isRootSystem = ({ namespace, path }: MountRecord): boolean =>
  namespace === KERNEL_MOUNT.namespace && path === KERNEL_MOUNT.path

/** A placeholder for an engine that this kernel does not have: its mounts answer 404, and its due work stays due. */
const absentEngine = (record: MountRecord): Engine => ({
  type: record.type,
  mounts: isAuth(record) ? 'auth' : 'secret',
  operations: {},
  due: {},
})

/** @throws KernelError 404 if the record is gone, so that nothing is written below it. */
function versionOf(stored: { readonly version: number } | undefined, what: string): number {
  if (!stored) throw new KernelError('ERR_UNSUPPORTED_PATH', `the ${what} was removed while the request ran`)
  return stored.version
}
