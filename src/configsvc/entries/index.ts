/**
 * The kinds of config entries: how one is read from a body, normalised, judged by itself, stored, filtered; who may read and write it, and
 * what it names. Pure: what other entries have to do with it is judged elsewhere.
 */
export { entryShape } from './entry-shape.ts'
export type { EntryKind, EntryKindName, EntryReference, EntryType, NormalizedEntry, RequiredAccess } from './kind.ts'
export { ENTRY_KINDS } from './kinds.ts'
export { kindNamed, readEntry, validateEntry } from './read-entry.ts'
export { decodeEntry, encodeEntry, type StoredEntry } from './stored-entry.ts'
