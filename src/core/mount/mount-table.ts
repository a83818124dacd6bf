/**
 * All mounts of a kernel, by path. Room: core/mount. Imported by the composition root and tick.
 */
import { KernelError } from '../errors.ts'
import type { Op } from '../storage/port.ts'
import type { Host, PlaceRules } from '../transaction/host.ts'
import { splitFormat, withFormat } from '../transaction/record-kind.ts'
import type { Store } from '../transaction/store.ts'
import type { Engine } from './engine.ts'
import { MOUNT, Mount, type MountRecord } from './mount.ts'

/** The kernel's own part of the store. */
export const CORE = 'core'
const PREFIX = `${MOUNT.class}/${CORE}/${MOUNT.folder}/`

export class MountTable {
  readonly #host: Host
  readonly #engines: ReadonlyMap<string, Engine>
  #byPath = new Map<string, Mount>()
  #byId = new Map<string, Mount>()
  #versions = new Map<string, number>()

  constructor(host: Host, engines: readonly Engine[]) {
    this.#host = host
    this.#engines = new Map(engines.map((engine) => [engine.type, engine]))
  }

  /** Reads the table anew. Mounts that are still there stay the same objects, with their caches. */
  async load(): Promise<void> {
    const byPath = new Map<string, Mount>()
    const byId = new Map<string, Mount>()
    const versions = new Map<string, number>()
    for (const { value, version } of await this.#host.store.scan(PREFIX)) {
      const [format, bytes] = splitFormat(MOUNT, value)
      const record = MOUNT.decode(bytes, format)
      const mount = this.#keep(record)
      byPath.set(record.path, mount)
      byId.set(record.uuid, mount)
      versions.set(record.uuid, version)
    }
    this.#byPath = byPath
    this.#byId = byId
    this.#versions = versions
  }

  /** Another object whenever the table was read anew. */
  get current(): object {
    return this.#byPath
  }

  /** The mount with the longest path that a request's path lies in. */
  route(path: string): Mount | undefined {
    let found = this.#byPath.get(`${path}/`)
    for (let at = path.lastIndexOf('/'); !found && at > 0; at = path.lastIndexOf('/', at - 1))
      found = this.#byPath.get(path.slice(0, at + 1))
    return found
  }

  /** @throws KernelError 404 when nothing of that type is mounted at `path`. */
  at(path: string, type: string): Mount {
    const mount = this.#byPath.get(path)
    if (mount?.record.type === type) return mount
    throw new KernelError('ERR_UNSUPPORTED_PATH', `no ${type} engine is mounted at ${path}`)
  }

  byId(uuid: string): Mount | undefined {
    return this.#byId.get(uuid)
  }

  #keep(record: MountRecord): Mount {
    const known = this.#byId.get(record.uuid)
    if (known?.record.path === record.path) return known
    const engine = this.#engines.get(record.type)
    if (!engine)
      throw new KernelError('ERR_INTERNAL', `the store has a mount of type ${record.type}, which this release does not know`)
    return new Mount(record, engine, this.#host, this.#rules(record.uuid))
  }

  #rules(uuid: string): PlaceRules {
    return {
      fences: () => [{ key: PREFIX + uuid, version: this.#versions.get(uuid) ?? 0 }],
      moved: async () => {
        await this.load()
        if (!this.#byId.has(uuid)) throw new KernelError('ERR_UNSUPPORTED_PATH', 'the mount was removed while the request ran')
      },
    }
  }
}

/** What initialising writes for one mount. */
export const newMount = (store: Store, record: MountRecord): Op =>
  store.sealed(PREFIX + record.uuid, withFormat(MOUNT.format, MOUNT.encode(record)), 0)
