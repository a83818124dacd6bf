/** The mounts of all namespaces, by path. */
import { KernelError } from '../base/errors.ts'
import { isAuth, isLocal, MAX_MOUNT_PATH_CHARACTERS, type MountRecord } from '../contract/mount-record.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { Mount } from './mount.ts'

/** The maximum length of a mount path. Only this part of a requested path is searched, however long the path is. */
const MAX_PATH_CHARACTERS = MAX_MOUNT_PATH_CHARACTERS + 'auth/'.length

export class MountTable {
  readonly #byNamespace = new Map<string, Map<string, Mount>>()
  readonly #byId = new Map<string, Mount>()
  readonly #byAccessor = new Map<string, Mount>()
  #hidden = 0

  constructor(mounts: Iterable<Mount>) {
    for (const mount of mounts) {
      const { namespace, path, uuid, accessor } = mount.record
      const paths = this.#byNamespace.get(namespace) ?? new Map<string, Mount>()
      this.#byNamespace.set(namespace, paths)
      const other = paths.get(path)
      if (other) this.#hidden++
      if (!other || isLocal(mount.record)) paths.set(path, mount)
      this.#byId.set(uuid, mount)
      this.#byAccessor.set(accessor, mount)
    }
  }

  /** The mount whose path is the longest prefix of `path`. `path` is relative to the namespace. */
  route(namespace: NamespaceRecord, path: string): Mount | undefined {
    const paths = this.#byNamespace.get(namespace.uuid)
    let found = paths?.get(`${path}/`)
    for (let at = path.lastIndexOf('/', MAX_PATH_CHARACTERS); paths && !found && at > 0; at = path.lastIndexOf('/', at - 1))
      found = paths.get(path.slice(0, at + 1))
    return found
  }

  /** @throws KernelError 404 if no engine of this type is mounted at `path`. */
  at(namespace: NamespaceRecord, path: string, type: string): Mount {
    const mount = this.#byNamespace.get(namespace.uuid)?.get(path)
    if (mount?.engine.type === type) return mount
    const instead = mount ? `; the engine at this path has the type ${mount.engine.type}` : ''
    throw new KernelError('ERR_UNSUPPORTED_PATH', `no ${type} engine is mounted at ${path}${instead}`)
  }

  /** The number of replicated mounts that have no path here because a local mount already had the same path. */
  get hidden(): number {
    return this.#hidden
  }

  byId(uuid: string): Mount | undefined {
    return this.#byId.get(uuid)
  }

  byAccessor(accessor: string): Mount | undefined {
    return this.#byAccessor.get(accessor)
  }

  /** The mounts of a namespace, ordered by their paths. */
  of(namespace: NamespaceRecord, kind?: 'auth' | 'secret'): readonly Mount[] {
    return [...(this.#byNamespace.get(namespace.uuid)?.values() ?? [])]
      .filter(({ record }) => kind === undefined || isAuth(record) === (kind === 'auth'))
      .sort((a, b) => order(a.record, b.record))
  }
}

const order = (a: MountRecord, b: MountRecord): number => (a.path < b.path ? -1 : 1)
