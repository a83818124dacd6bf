/** Members that exist only in Consul Enterprise. */
import { invalid } from '../../../core/base/errors.ts'
import { recordShape } from '../../expression/index.ts'
import type { EntryMember } from './member.ts'

/** Accepts an empty value, because clients send all members of a type, and refuses any other value. */
export const unsupported = (): EntryMember<undefined> => ({
  read: (raw, path) => {
    if (isEmptyValue(raw)) return undefined
    throw invalid(`${path}: is not supported; it needs Consul Enterprise`)
  },
  isEmpty: () => true,
  shape: recordShape({}),
})

/** The maximum number of nested levels of empty records. */
const MAX_DEPTH = 4

function isEmptyValue(raw: unknown, depth = 1): boolean {
  if (typeof raw !== 'object' || raw === null) return raw === null || raw === '' || raw === 0 || raw === false || raw === '0s'
  return depth <= MAX_DEPTH && Object.values(raw).every((value) => isEmptyValue(value, depth + 1))
}
