/**
 * The namespaces and mounts of the store, in memory.
 *
 * The tables are never changed but replaced by new objects. So a value that was computed from a table, such as a cached route, is valid as
 * long as the table is still the same object.
 */
import { KernelError } from '../base/errors.ts'
import type { Engine } from '../contract/engine.ts'
import { KernelService } from '../contract/kernel-service.ts'
import { LOCAL_MOUNT, MOUNT, type MountRecord } from '../contract/mount-record.ts'
import { NAMESPACE, type NamespaceRecord, ROOT_NAMESPACE } from '../contract/namespace.ts'
import { decodeRecord } from '../contract/record-kind.ts'
import { isBecomingSecondary } from '../log/role.ts'
import type { Change } from '../storage/port.ts'
import { CORE, coreKeyPrefix } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import { Keyspace } from '../transaction/keyspace.ts'
import { absentEngine } from './absent-engine.ts'
import { isRootSystem, KERNEL_MOUNT } from './kernel-mount.ts'
import { KeyspaceFences } from './keyspace-fences.ts'
import { assertListed } from './listed-events.ts'
import { Mount } from './mount.ts'
import { MountTable } from './mount-table.ts'
import { NamespaceTable } from './namespace-table.ts'
import { readRecords, scanRecords } from './topology-records.ts'

/** The key prefixes of mount records, for replicated and for local mounts. */
const MOUNTS = [coreKeyPrefix(MOUNT), coreKeyPrefix(LOCAL_MOUNT)]

const folderOf = (key: string): string | undefined => MOUNTS.find((folder) => key.startsWith(folder))

const NAMESPACES = coreKeyPrefix(NAMESPACE)

interface Stored<T> {
  readonly key: string
  readonly record: T
  readonly version: number
}

/** The mounts and namespaces of the current kernel. */
export const TOPOLOGY = /* @__PURE__ */ new KernelService<Topology>()

export class Topology {
  readonly #host: Host
  readonly #engines: ReadonlyMap<string, Engine>
  readonly #namespaceRecords = new Map<string, Stored<NamespaceRecord>>()
  readonly #mountRecords = new Map<string, Stored<Mount>>()
  readonly #fences = new KeyspaceFences({
    mount: (uuid) => this.#mountRecords.get(uuid),
    namespaceVersion: (uuid) => this.#namespaceRecords.get(uuid)?.version,
    reload: (key) => {
      this.#changed?.add(key)
      return this.#loaded() ?? Promise.resolve()
    },
  })
  /**
   * Whether requests are answered in namespaces other than the root namespace. Set by the part `namespaces()`. Background work is done in
   * all namespaces, because expired leases and tokens must end.
   */
  servesNamespaces = false
  #tables = { namespaces: new NamespaceTable([]), mounts: new MountTable([]) }
  /** The storage keys of the records that any process has changed since the last load. Null means that everything must be loaded. */
  #changed: Set<string> | null = null
  #loading: Promise<void> | undefined

  constructor(host: Host, engines: readonly Engine[]) {
    this.#host = host
    this.#engines = new Map(engines.flatMap((engine) => [engine.type, ...(engine.aliases ?? [])].map((name) => [name, engine])))
    host.cache.onChange((change) => this.#note(change))
  }

  /** Whether requests are answered in this namespace. */
  serves({ uuid }: NamespaceRecord): boolean {
    return this.servesNamespaces || uuid === ROOT_NAMESPACE.uuid
  }

  /** @throws KernelError 404 if requests are not answered in this namespace. */
  checkServed(namespace: NamespaceRecord): void {
    if (!this.serves(namespace)) throw new KernelError('ERR_UNSUPPORTED_PATH', 'namespace not found')
  }

  get namespaces(): NamespaceTable {
    return this.#tables.namespaces
  }

  get mounts(): MountTable {
    return this.#tables.mounts
  }

  /**
   * An object that represents the state of the tables. It is a different object after every change, so callers compare it to detect
   * changes.
   */
  get current(): object {
    return this.#tables
  }

  /** Call it when code of an engine was loaded, because results that were computed from the tables may lack the new operations. */
  noteLoadedCode(): void {
    this.#tables = { ...this.#tables }
  }

  get engines(): readonly Engine[] {
    return [...new Set(this.#engines.values())]
  }

  /** The engine with this type or alias. */
  engine(type: string): Engine | undefined {
    return this.#engines.get(type)
  }

  /**
   * Loads the tables if they may be out of date. Returns undefined if they are up to date, which is the usual case, and otherwise a promise
   * that resolves when they are.
   */
  fresh(): Promise<void> | undefined {
    const { freshness } = this.#host
    return freshness.isFresh() ? this.#loaded() : freshness.renew().then(() => this.#loaded())
  }

  /** Loads the reported changes. Returns undefined if there are none. */
  #loaded(): Promise<void> | undefined {
    if (this.#changed?.size === 0 && !this.#loading) return undefined
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading.then(() => this.#loaded())
  }

  /** The mount with this uuid, even if it is being removed. Used by jobs that clean up after a mount. */
  holder(uuid: string): Mount | undefined {
    return this.#mountRecords.get(uuid)?.record
  }

  /** The records of the mounts in a namespace, even if the namespace is being removed. Omits mounts that are being removed themselves. */
  recordsIn(namespace: string): readonly MountRecord[] {
    return [...this.#mountRecords.values()]
      .map(({ record }) => record.record)
      .filter((record) => record.namespace === namespace && !record.ending)
  }

  /** Loads the current state of the store. Includes commits of other processes that were not reported to this process yet. */
  async reload(): Promise<void> {
    if (this.#host.store.storage.caps.shared) this.#changed = null
    await this.#loaded()
  }

  /** The kernel's own keyspace for operations in `namespace`. Its commits require that the namespace exists. */
  coreKeyspace(namespace: NamespaceRecord): Keyspace {
    return new Keyspace(CORE, this.#host, this.#fences.ofNamespace(namespace.uuid))
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
    // Hide the mounts of a namespace that has no record any more. The records of these mounts are deleted later.
    const visible = mounts.filter(({ record }) => namespaces.byUuid(record.namespace) && !record.ending)
    if (isBecomingSecondary(this.#host.store.commits.role) && !visible.some(({ record }) => isRootSystem(record)))
      visible.push(this.#mount(KERNEL_MOUNT))
    this.#tables = { namespaces, mounts: new MountTable(visible) }
  }

  /** Reads all records whose version differs from the loaded one. */
  async #loadAll(): Promise<void> {
    for (const prefix of [NAMESPACES, ...MOUNTS]) {
      const records = prefix === NAMESPACES ? this.#namespaceRecords : this.#mountRecords
      const known = (key: string): number | undefined => records.get(key.slice(prefix.length))?.version
      const found = await scanRecords(this.#host.store, prefix, (key, version) => known(key) !== version)
      const there = new Set(found.map(({ key }) => key))
      const gone = [...records.values()].filter(({ key }) => key.startsWith(prefix) && !there.has(key))
      for (const { key } of gone) this.#take(key, undefined)
      for (const { key, version, value } of found) if (value) this.#take(key, { version, value })
    }
  }

  async #loadKeys(keys: readonly string[]): Promise<void> {
    const found = await readRecords(this.#host.store, keys)
    keys.forEach((key, index) => {
      this.#take(key, found[index])
    })
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
   * Drops the cached data of a removed mount. The key cache does not record which mount a key belongs to, so the keys of all mounts are
   * dropped and loaded again when needed.
   */
  #forget(uuid: string): void {
    this.#host.keys.clear()
    this.#host.cache.forget(uuid)
  }

  #mount(record: MountRecord): Mount {
    const known = this.#engines.get(record.type) ?? absentEngine(record)
    const engine = known.variant?.(record) ?? known
    if (engine.keeps === 'core') {
      return new Mount(record, engine, CORE, this.#host, this.#fences.ofNamespace(record.namespace))
    }
    const checkEventType = (type: string) => assertListed(type, known, engine)
    return new Mount(record, engine, record.uuid, this.#host, { ...this.#fences.ofMount(record, engine), checkEventType })
  }
}
