/**
 * Members that only the commercial builds of the originals have.
 */
import { invalid } from '../../../core/base/errors.ts'
import { record } from '../../expression/index.ts'
import type { EntryMember } from './member.ts'

/** A member that may be sent empty, as clients do that write all members of a type; with a value it is refused. */
export const unsupported = (): EntryMember<undefined> => ({
  read: (raw, path) => {
    if (isEmptyValue(raw)) return undefined
    throw invalid(`${path}: is not supported; only the commercial builds of the originals have it`)
  },
  isEmpty: () => true,
  shape: record({}),
})

/** Levels of empty records that are looked through. */
const MAX_DEPTH = 4

function isEmptyValue(raw: unknown, depth = 1): boolean {
  if (typeof raw !== 'object' || raw === null) return raw === null || raw === '' || raw === 0 || raw === false || raw === '0s'
  return depth <= MAX_DEPTH && Object.values(raw).every((value) => isEmptyValue(value, depth + 1))
}
