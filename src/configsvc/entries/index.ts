/**
 * Defines the kinds of config entries: how each is read from a body, normalized, validated, stored and filtered, and which permissions and
 * references it has. Pure; checks across entries are in `graph/`.
 */
export { entryShape } from './entry-shape.ts'
export type { EntryKind, EntryKindName, EntryReference, EntryType, NormalizedEntry, RequiredAccess } from './kind.ts'
export { ENTRY_KINDS } from './kinds.ts'
export { kindNamed, readConfigEntry, validateEntry } from './read-entry.ts'
export { decodeEntry, encodeEntry, type StoredEntry } from './stored-entry.ts'
