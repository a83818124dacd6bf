/**
 * What is kept of config entries.
 */
import { jsonRecord, type RecordKind } from '../../../core/contract/record-kind.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import type { EntryKindName } from '../kind.ts'
import { decodeEntry, decodeEntrySteps, encodeEntry, type StoredEntry } from '../stored-entry.ts'

/** `<namespace>/<kind>/<name>`, see {@link segmentOf}. */
export const ENTRY: RecordKind<StoredEntry> = {
  class: 'l',
  folder: 'config-entry',
  format: 1,
  guarded: true,
  encode: encodeEntry,
  decode: decodeEntry,
  decodeSteps: decodeEntrySteps,
}

/** `<namespace>/<kind or "service">/<name that is referred to>/<kind>/<name>`: of entries that name few others. */
export const ENTRY_REFERENCE = /* @__PURE__ */ jsonRecord<true>({ class: 'l', folder: 'config-entry-reference', guarded: true })

/** Ids as those of {@link ENTRY}: what an entry refers to that names many others, as `<kind or "service">/<name>`, sorted. */
export const ENTRY_REFERENCE_LIST = /* @__PURE__ */ jsonRecord<readonly string[]>({
  class: 'l',
  folder: 'config-entry-references',
  guarded: true,
})

/** A name in an id: in lower case, since names match in any case, and without slashes. */
export const segmentOf = (name: string): string => foldEntryName(name).replace(/[%/]/g, encodeURIComponent)

/** The name, in lower case, that a segment stands for. */
export const nameOfSegment = (segment: string): string => decodeURIComponent(segment)

export const entryId = (namespace: string, kind: EntryKindName, name: string): string => `${namespace}/${kind}/${segmentOf(name)}`
