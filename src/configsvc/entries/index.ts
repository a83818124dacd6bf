/**
 * The kinds of config entries: reading from a body, normalizing, validating, storing, filtering, permissions and references. Pure; checks
 * across entries are in `graph/`.
 */
export { entryShape } from './entry-shape.ts'
export type { EntryKind, EntryKindName, EntryReference, EntryType, NormalizedEntry, RequiredAccess } from './kind.ts'
export { ENTRY_KINDS } from './kinds.ts'
export { kindNamed, readConfigEntry, validateEntry } from './read-entry.ts'
export { decodeEntry, encodeEntry, type StoredEntry } from './stored-entry.ts'
