import type { CoreFolder } from '../contract/core-folders.ts'

interface StoredKind {
  readonly class: string
  readonly folder: CoreFolder
}

export const coreRecordKey = (kind: StoredKind, id: string): string => `${coreKeyPrefix(kind)}${id}`

/** The prefix of the keys of all records of this kind in the kernel's own keyspace. */
export const coreKeyPrefix = (kind: StoredKind): string => `${kind.class}/${CORE}/${kind.folder}/`

/** Keyspace id of the kernel's own records. */
export const CORE = 'core'
