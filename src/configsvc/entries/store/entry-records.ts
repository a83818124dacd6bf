import { jsonRecord, type RecordKind } from '../../../core/contract/record-kind.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import type { EntryKindName } from '../kind.ts'
import { decodeEntry, decodeEntrySteps, encodeEntry, type StoredEntry } from '../stored-entry.ts'

/** Id: `<namespace>/<kind>/<name>`, see {@link segmentOf}. */
export const ENTRY: RecordKind<StoredEntry> = {
  class: 'l',
  folder: 'config-entry',
  format: 1,
  guarded: true,
  encode: encodeEntry,
  decode: decodeEntry,
  decodeSteps: decodeEntrySteps,
}

/** One reference of an entry that has few of them. Id: `<namespace>/<kind or "service">/<referenced name>/<kind>/<name>` */
export const ENTRY_REFERENCE = /* @__PURE__ */ jsonRecord<true>({ class: 'l', folder: 'config-entry-reference', guarded: true })

/**
 * All references of an entry that has many of them: a sorted list of `<kind or "service">/<name>`. The id is that of the entry in {@link ENTRY}.
 */
export const ENTRY_REFERENCE_LIST = /* @__PURE__ */ jsonRecord<readonly string[]>({
  class: 'l',
  folder: 'config-entry-references',
  guarded: true,
})

/** The segment for a name in an id: in lower case, because names match regardless of case, and without slashes. */
export const segmentOf = (name: string): string => foldEntryName(name).replace(/[%/]/g, encodeURIComponent)

/** Returns the name, in lower case, for a segment. */
export const nameOfSegment = (segment: string): string => decodeURIComponent(segment)

export const entryId = (namespace: string, kind: EntryKindName, name: string): string => `${namespace}/${kind}/${segmentOf(name)}`
