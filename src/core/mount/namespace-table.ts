/** All namespaces of a kernel, in memory. */
import { KernelError } from '../base/errors.ts'
import { withoutOuterSlashes } from '../base/slashes.ts'
import { type NamespaceRecord, ROOT_NAMESPACE } from '../contract/namespace.ts'

export class NamespaceTable {
  readonly #byPath = new Map<string, NamespaceRecord>([['', ROOT_NAMESPACE]])
  readonly #byUuid = new Map<string, NamespaceRecord>([[ROOT_NAMESPACE.uuid, ROOT_NAMESPACE]])
  readonly #byId = new Map<string, NamespaceRecord>([[ROOT_NAMESPACE.id, ROOT_NAMESPACE]])

  constructor(records: readonly NamespaceRecord[]) {
    for (const record of records) {
      this.#byPath.set(record.path, record)
      this.#byUuid.set(record.uuid, record)
      this.#byId.set(record.id, record)
    }
  }

  byPath(path: string): NamespaceRecord | undefined {
    return this.#byPath.get(path)
  }

  byUuid(uuid: string): NamespaceRecord | undefined {
    return this.#byUuid.get(uuid)
  }

  /** The namespace with this id. Its tokens, accessors and lease ids end with the id. */
  byId(id: string): NamespaceRecord | undefined {
    return this.#byId.get(id)
  }

  /** All namespaces below `path`, ordered by their paths. */
  below(path: string): readonly NamespaceRecord[] {
    return [...this.#byPath.values()]
      .filter((namespace) => namespace.path !== path && namespace.path.startsWith(path))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** The namespace that a header names. Undefined if it does not exist. */
  find(header: string): NamespaceRecord | undefined {
    return this.#byPath.get(canonical(header))
  }

  /**
   * The namespace that a header names.
   * @throws KernelError 404 if the namespace does not exist, even if the beginning of the header names an existing namespace.
   */
  named(header: string): NamespaceRecord {
    const found = this.find(header)
    if (!found) throw new KernelError('ERR_UNSUPPORTED_PATH', 'namespace not found')
    return found
  }

  /** The innermost namespace that contains `path`. `path` is relative to `from`. */
  innermost(from: NamespaceRecord, path: string): NamespaceRecord {
    let found = from
    if (this.#byPath.size === 1) return found
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      const next = this.#byPath.get(from.path + path.slice(0, end + 1))
      if (!next) break
      found = next
    }
    return found
  }
}

/** Whether a header names the root namespace. */
export const isRootNamed = (header: string): boolean => canonical(header) === ''

/**
 * The path of a namespace in canonical form. `root`, `/` and the empty string mean the root namespace. Slashes at either end are ignored.
 */
function canonical(header: string): string {
  const path = withoutOuterSlashes(header)
  return path === '' || path === 'root' ? '' : `${path}/`
}
