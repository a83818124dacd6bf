/**
 * Namespaces and mounts as the store has them, held in memory.
 *
 * Tables are never changed, only replaced: whoever remembers something about one (such as a route) compares it by identity.
 */
import { KernelError } from '../base/errors.ts'
import type { Engine } from '../contract/engine.ts'
import { isAuth, MOUNT, type MountRecord } from '../contract/mount-record.ts'
import { NAMESPACE, type NamespaceRecord, ROOT_NAMESPACE } from '../contract/namespace.ts'
import { Part } from '../contract/part.ts'
import { type RecordKind, splitFormat } from '../contract/record-kind.ts'
import type { Change } from '../storage/port.ts'
import { CORE } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import { Place, type PlaceRules } from '../transaction/place.ts'
import { Mount } from './mount.ts'
import { MountTable } from './mount-table.ts'
import { NamespaceTable } from './namespace-table.ts'

/** In front of the ids of a kind of the kernel's own records. */
export const coreKey = (kind: { readonly class: string; readonly folder: string }): string =>
  `${kind.class}/${CORE}/${kind.folder}/`

const MOUNTS = coreKey(MOUNT)

const NAMESPACES = coreKey(NAMESPACE)

interface Stored<T> {
  readonly record: T
  readonly version: number
}

/** Which mounts and namespaces there are, of the kernel that an operation runs in. */
export const TOPOLOGY = /* @__PURE__ */ new Part<Topology>()

export class Topology {
  readonly #host: Host
  readonly #engines: ReadonlyMap<string, Engine>
  readonly #namespaceRecords = new Map<string, Stored<NamespaceRecord>>()
  readonly #mountRecords = new Map<string, Stored<Mount>>()
  #tables = { namespaces: new NamespaceTable([]), mounts: new MountTable([]) }
  /** What others and ourselves changed since the last load; null is everything. */
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

  /** Another object whenever anything changed. */
  get current(): object {
    return this.#tables
  }

  /** Those of the kernel. */
  get engines(): readonly Engine[] {
    return [...new Set(this.#engines.values())]
  }

  /** The engine that answers to a type or one of its aliases. */
  engine(type: string): Engine | undefined {
    return this.#engines.get(type)
  }

  /** Undefined when what is held is what the store has, as nearly always; else resolves when it is. */
  fresh(): Promise<void> | undefined {
    const { freshness } = this.#host
    return freshness.isFresh() ? this.#loaded() : freshness.renew().then(() => this.#loaded())
  }

  /** Undefined when all changes that were heard of are loaded. */
  #loaded(): Promise<void> | undefined {
    if (this.#changed?.size === 0 && !this.#loading) return undefined
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading.then(() => this.#loaded())
  }

  /** A mount, also one that is on its way out: for those who clear up behind it. */
  holder(uuid: string): Mount | undefined {
    return this.#mountRecords.get(uuid)?.record
  }

  /** The records of a namespace's mounts, also of one that is being removed; without mounts on their way out. */
  recordsIn(namespace: string): readonly MountRecord[] {
    return [...this.#mountRecords.values()]
      .map(({ record }) => record.record)
      .filter((record) => record.namespace === namespace && !record.ending)
  }

  /** What the store has now, whoever wrote it: where others write to it too, what they did may not have been told yet. */
  async reload(): Promise<void> {
    if (this.#host.store.storage.caps.shared) this.#changed = null
    await this.#loaded()
  }

  /** The kernel's own records as one place, for operations in `namespace`: their commits need it to be there. */
  corePlace(namespace: NamespaceRecord): Place {
    return new Place(CORE, this.#host, this.#namespaceRules(namespace))
  }

  #note({ keys }: Change): void {
    if (!keys) this.#changed = null
    for (const key of keys ?? []) if (key.startsWith(MOUNTS) || key.startsWith(NAMESPACES)) this.#changed?.add(key)
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
    // Mounts of a namespace that is being removed are gone with it, before their records are.
    const visible = mounts.filter(({ record }) => namespaces.byUuid(record.namespace) && !record.ending)
    this.#tables = { namespaces, mounts: new MountTable(visible) }
  }

  /** Reads what is not the same as before. */
  async #loadAll(): Promise<void> {
    for (const [prefix, records] of [[NAMESPACES, this.#namespaceRecords] as const, [MOUNTS, this.#mountRecords] as const]) {
      const known = (key: string): number | undefined => records.get(key.slice(prefix.length))?.version
      const found = await this.#host.store.scan(prefix, (key, version) => known(key) !== version)
      const there = new Set(found.map(({ key }) => key))
      for (const uuid of [...records.keys()]) if (!there.has(prefix + uuid)) this.#take(prefix + uuid, undefined)
      for (const { key, version, value } of found) if (value) this.#take(key, { version, value })
    }
  }

  async #loadKeys(keys: readonly string[]): Promise<void> {
    const found = await this.#host.store.getMany(keys)
    keys.forEach((key, index) => {
      this.#take(key, found[index])
    })
  }

  #take(key: string, found: { readonly value: Uint8Array; readonly version: number } | undefined): void {
    if (key.startsWith(NAMESPACES)) {
      const uuid = key.slice(NAMESPACES.length)
      if (!found) this.#namespaceRecords.delete(uuid)
      else this.#namespaceRecords.set(uuid, { record: decoded(NAMESPACE, found.value), version: found.version })
      return
    }
    const uuid = key.slice(MOUNTS.length)
    if (!found) {
      if (this.#mountRecords.delete(uuid)) this.#forget(uuid)
      return
    }
    if (this.#mountRecords.get(uuid)?.version === found.version) return
    this.#mountRecords.set(uuid, { record: this.#mount(decoded(MOUNT, found.value)), version: found.version })
  }

  /** What a mount that is gone kept must not stay in memory. Which keys were its own, only it knew: others are loaded again. */
  #forget(uuid: string): void {
    this.#host.keys.clear()
    this.#host.cache.forget(uuid)
  }

  #mount(record: MountRecord): Mount {
    const known = this.#engines.get(record.type) ?? absentEngine(record)
    const engine = known.variant?.(record) ?? known
    if (engine.keeps === 'core') {
      const rules = { fences: () => this.#namespaceFence(record.namespace), moved: () => this.#stillThere(record.namespace) }
      return new Mount(record, engine, CORE, this.#host, rules)
    }
    return new Mount(record, engine, record.uuid, this.#host, this.#mountRules(record.uuid, engine))
  }

  #mountRules(uuid: string, engine: Engine): PlaceRules {
    return {
      fences: () => [{ key: MOUNTS + uuid, version: versionOf(this.#mountRecords.get(uuid), 'mount') }],
      moved: async () => {
        await this.#again(MOUNTS + uuid)
        const stored = this.#mountRecords.get(uuid)
        versionOf(stored, 'mount')
        // What this request would write, the engine of the mount as it is now would not find.
        if (stored?.record.engine !== engine)
          throw new KernelError('ERR_UNSUPPORTED_PATH', 'the mount became another version of its engine while the request ran')
      },
    }
  }

  #namespaceRules({ uuid }: NamespaceRecord): PlaceRules {
    return { fences: () => this.#namespaceFence(uuid), moved: () => this.#stillThere(uuid) }
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

/** In the place of one that this kernel was not made with: nothing answers at its mounts, and what is due in them stays due. */
const absentEngine = (record: MountRecord): Engine => ({
  type: record.type,
  mounts: isAuth(record) ? 'auth' : 'secret',
  operations: {},
  due: {},
})

/** @throws KernelError 404 where there is nothing any more: nobody may write below it. */
function versionOf(stored: { readonly version: number } | undefined, what: string): number {
  if (!stored) throw new KernelError('ERR_UNSUPPORTED_PATH', `the ${what} was removed while the request ran`)
  return stored.version
}

function decoded<T>(kind: RecordKind<T>, value: Uint8Array): T {
  const [format, bytes] = splitFormat(kind, value)
  return kind.decode(bytes, format)
}
