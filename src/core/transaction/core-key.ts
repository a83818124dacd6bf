export const coreRecordKey = (kind: { readonly class: string; readonly folder: string }, id: string): string =>
  `${kind.class}/${CORE}/${kind.folder}/${id}`

/** Keyspace id of the kernel's own records. */
export const CORE = 'core'
