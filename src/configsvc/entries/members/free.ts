/**
 * Free maps: whatever their members are, they are stored as they were sent.
 */
import { invalid } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { checkCount, coerceMap, wrongType } from '../../../core/field/coercion.ts'
import { otherMap } from '../../expression/index.ts'
import type { Member, Rule } from './member.ts'
import type { Reading } from './reading.ts'
import { oneOf } from './record.ts'
import { withoutSign } from './scalars.ts'
import { checkUnicode } from './unicode.ts'

/** Levels of nesting: far more than anybody uses. */
const DEEPEST = 64

const VALUE_MICROSECONDS = 1

export type FreeMap = Readonly<Record<string, unknown>>

export const free = (rule?: Rule<FreeMap>): Member<FreeMap> => ({
  read: (raw, path, reading) => copyMap(oneOf(raw), path, reading, 1),
  isEmpty: (value) => Object.keys(value).length === 0,
  check: rule,
  // Nothing is known of the members' types.
  shape: otherMap,
})

function* copyMap(raw: unknown, path: string, reading: Reading, depth: number): Steps<FreeMap> {
  const members: (readonly [string, unknown])[] = []
  for (const [name, value] of Object.entries(coerceMap(raw, path))) {
    if (value === undefined) continue
    members.push([checkUnicode(name, path), yield* copy(value, path, reading, depth)])
  }
  // A member may be called as one that objects inherit.
  return Object.fromEntries(members)
}

function* copy(raw: unknown, path: string, reading: Reading, depth: number): Steps<unknown> {
  reading.count(path)
  if (reading.pace.spend(VALUE_MICROSECONDS)) yield
  if (raw === null || typeof raw === 'boolean' || typeof raw === 'bigint') return raw
  if (typeof raw === 'string') return checkUnicode(raw, path)
  if (typeof raw === 'number' && Number.isFinite(raw)) return withoutSign(raw)
  if (typeof raw !== 'object') throw wrongType(path, 'a map of JSON values')
  if (depth >= DEEPEST) throw invalid(`${path}: is nested more than ${DEEPEST} levels deep`)
  if (!Array.isArray(raw)) return yield* copyMap(raw, path, reading, depth + 1)
  const items: unknown[] = []
  for (const item of checkCount(raw, path)) items.push(yield* copy(item, path, reading, depth + 1))
  return items
}
