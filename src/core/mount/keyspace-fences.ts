/** The rules by which commits in the keyspaces of mounts and namespaces check that the mount or namespace still exists. */
import { KernelError } from '../base/errors.ts'
import type { Engine } from '../contract/engine.ts'
import { type MountRecord, mountKind } from '../contract/mount-record.ts'
import { NAMESPACE, ROOT_NAMESPACE } from '../contract/namespace.ts'
import { coreRecordKey } from '../transaction/core-key.ts'
import type { KeyspaceRules } from '../transaction/keyspace.ts'
import type { Mount } from './mount.ts'

interface FencedRecords {
  /** The mount as it was last loaded; undefined if it has no record. */
  readonly mount: (uuid: string) => { readonly record: Mount; readonly version: number } | undefined
  /** The version of the namespace's record as it was last loaded; undefined if there is no record. */
  readonly namespaceVersion: (uuid: string) => number | undefined
  /** Loads the current state of the record with this storage key. */
  readonly reload: (key: string) => Promise<void>
}

export class KeyspaceFences {
  readonly #records: FencedRecords

  constructor(records: FencedRecords) {
    this.#records = records
  }

  /** Commits expect the mount's record. */
  ofMount(record: MountRecord, engine: Engine): KeyspaceRules {
    const { mount, reload } = this.#records
    const { uuid } = record
    const key = coreRecordKey(mountKind(record), uuid)
    return {
      fences: () => [{ key, version: existing(mount(uuid)?.version, 'mount') }],
      isSynced: () => mount(uuid)?.record.record.synced === true,
      revalidate: async () => {
        await reload(key)
        const stored = mount(uuid)
        existing(stored?.version, 'mount')
        // Refuse the request: it would write records in the format of the old engine version, and the current engine would not find them.
        if (stored?.record.engine !== engine)
          throw new KernelError(
            'ERR_UNSUPPORTED_PATH',
            'the mount was changed to another version of its engine while the request ran; retry',
          )
      },
    }
  }

  /** Commits in the kernel's own keyspace expect the namespace's record. The root namespace has no record. */
  ofNamespace(uuid: string): KeyspaceRules {
    if (uuid === ROOT_NAMESPACE.uuid) return { fences: () => [], revalidate: async () => {} }
    const { namespaceVersion, reload } = this.#records
    const key = coreRecordKey(NAMESPACE, uuid)
    return {
      fences: () => [{ key, version: existing(namespaceVersion(uuid), 'namespace') }],
      revalidate: async () => {
        await reload(key)
        existing(namespaceVersion(uuid), 'namespace')
      },
    }
  }
}

/**
 * Returns the version of the record, which the commit must expect.
 * @throws KernelError 404 if the record no longer exists, so that nothing is written into a removed mount or namespace.
 */
function existing(version: number | undefined, what: string): number {
  if (version === undefined) throw new KernelError('ERR_UNSUPPORTED_PATH', `the ${what} was removed while the request ran`)
  return version
}
