/** Members that only Consul Enterprise has. */
import { invalid } from '../../../core/base/errors.ts'
import { record } from '../../expression/index.ts'
import type { EntryMember } from './member.ts'

/** An empty value is accepted, because clients send all members of a type; any other value is refused. */
export const unsupported = (): EntryMember<undefined> => ({
  read: (raw, path) => {
    if (isEmptyValue(raw)) return undefined
    throw invalid(`${path}: is not supported; it needs Consul Enterprise`)
  },
  isEmpty: () => true,
  shape: record({}),
})

/** The most levels of empty records. */
const MAX_DEPTH = 4

function isEmptyValue(raw: unknown, depth = 1): boolean {
  if (typeof raw !== 'object' || raw === null) return raw === null || raw === '' || raw === 0 || raw === false || raw === '0s'
  return depth <= MAX_DEPTH && Object.values(raw).every((value) => isEmptyValue(value, depth + 1))
}
