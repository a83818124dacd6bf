/** Free maps: members whose values may have any JSON type and are stored unchanged. */
import { invalid, type KernelError } from '../../../core/base/errors.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { checkCount, coerceMap } from '../../../core/field/coercion.ts'
import { hasJsonForm, jsonFormOf, nonJsonRule } from '../../../core/json/non-json.ts'
import { otherMapShape } from '../../expression/index.ts'
import type { EntryReading } from './entry-reading.ts'
import type { EntryMember, MemberRule } from './member.ts'
import { unwrapSingle } from './record.ts'
import { withoutNegativeZero } from './scalars.ts'
import { checkUnicode } from './unicode.ts'

/** The maximum number of characters of a path in an error message. */
const MAX_SHOWN_CHARACTERS = 200

const MAX_DEPTH = 64

const VALUE_MICROSECONDS = 1

export type FreeMap = Readonly<Record<string, unknown>>

export const free = (rule?: MemberRule<FreeMap>): EntryMember<FreeMap> => ({
  read: (raw, path, reading) => copyMap(unwrapSingle(raw), path, reading, 1),
  isEmpty: (value) => Object.keys(value).length === 0,
  check: rule,
  // The types of the values are unknown, so filters can only test whether the map is empty.
  shape: otherMapShape,
})

function* copyMap(raw: unknown, path: string, reading: EntryReading, depth: number): Steps<FreeMap> {
  const members: (readonly [string, unknown])[] = []
  for (const [name, value] of Object.entries(coerceMap(raw, path)))
    members.push([checkUnicode(name, path), yield* copy(value, `${path}.${name}`, reading, depth)])
  // `Object.fromEntries` creates own members for all names, including those of inherited properties such as `__proto__`.
  return Object.fromEntries(members)
}

function* copy(given: unknown, path: string, reading: EntryReading, depth: number): Steps<unknown> {
  reading.countValue(path)
  if (reading.pace.spend(VALUE_MICROSECONDS)) yield
  const raw = typeof given === 'object' && given !== null && hasJsonForm(given) ? jsonFormIn(given, path) : given
  if (raw === null || typeof raw === 'boolean' || typeof raw === 'bigint') return raw
  if (typeof raw === 'string') return checkUnicode(raw, path)
  if (typeof raw === 'number' && Number.isFinite(raw)) return withoutNegativeZero(raw)
  const rule = nonJsonRule(raw)
  if (rule !== undefined) throw notJson(path, rule)
  if (depth >= MAX_DEPTH) throw invalid(`${path.slice(0, MAX_SHOWN_CHARACTERS)}: is nested more than ${MAX_DEPTH} levels deep`)
  if (!Array.isArray(raw)) return yield* copyMap(raw, path, reading, depth + 1)
  const items: unknown[] = []
  for (const [index, item] of checkCount(raw, path).entries())
    items.push(yield* copy(item, `${path}[${index}]`, reading, depth + 1))
  return items
}

/** The error for a value without a JSON form, which `JSON.stringify` would drop silently. */
const notJson = (path: string, rule: string): KernelError => invalid(`${path.slice(0, MAX_SHOWN_CHARACTERS)}: ${rule}`)

/** Returns the JSON form of an object that has `toJSON`, such as a date. @throws KernelError 400 */
function jsonFormIn(raw: object, path: string): unknown {
  const { form, rule } = jsonFormOf(raw)
  if (rule !== undefined) throw notJson(path, rule)
  return form
}
