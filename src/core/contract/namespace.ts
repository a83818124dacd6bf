/** The stored record of a namespace. */
import { coreRecord } from './core-record.ts'

export interface NamespaceRecord {
  /** The storage keys of the namespace's records contain this uuid. It never changes, and no later namespace gets the same uuid. */
  readonly uuid: string
  /** Six base62 characters at the end of the namespace's tokens, accessors and lease ids. Empty for the root namespace. */
  readonly id: string
  /** The path from the root, with a slash at the end: `team-a/apps/`. Empty for the root namespace. */
  readonly path: string
  readonly custom_metadata: Readonly<Record<string, string>>
}

/** The record kind of namespaces, stored at `r/core/namespace/<uuid>`. The root namespace has no record. */
export const NAMESPACE = /* @__PURE__ */ coreRecord<NamespaceRecord>({ folder: 'namespace', guarded: true })

export const ROOT_NAMESPACE: NamespaceRecord = /* @__PURE__ */ Object.freeze({
  uuid: 'root',
  id: '',
  path: '',
  custom_metadata: Object.freeze({}),
})

export const NAMESPACE_ID_CHARACTERS = 6

/** Returns the suffix of the namespace's tokens, accessors and lease ids. */
export const namespaceSuffix = (namespace: NamespaceRecord): string => (namespace.id === '' ? '' : `.${namespace.id}`)

/** Whether `inner` is `outer` itself or below it. */
export const isWithin = (inner: NamespaceRecord, outer: NamespaceRecord): boolean => inner.path.startsWith(outer.path)
