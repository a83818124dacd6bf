/** Compares an entry with the stored one. */
import { Pace, type Steps } from '../../core/base/steps.ts'
import type { NormalizedEntry } from './kind.ts'
import type { StoredEntry } from './stored-entry.ts'

const VALUE_MICROSECONDS = 0.5

/** Ignores indexes, the Status and the order of members. */
export function* sameEntry(stored: StoredEntry, entry: NormalizedEntry): Steps<boolean> {
  const { CreateIndex: _create, ModifyIndex: _modify, Status: _stored, ...content } = stored
  const { Status: _status, ...wanted } = entry
  return yield* sameValue(content, wanted)
}

/** Whether two JSON values are equal, regardless of the order of members. */
export function* sameValue(a: unknown, b: unknown, pace = new Pace()): Steps<boolean> {
  if (pace.spend(VALUE_MICROSECONDS)) yield
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  for (const name of names) {
    if (!Object.hasOwn(b, name)) return false
    if (!(yield* sameValue((a as Members)[name], (b as Members)[name], pace))) return false
  }
  return true
}

type Members = Readonly<Record<string, unknown>>
