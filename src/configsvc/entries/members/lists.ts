/** Members that are lists, or maps from names to values of one type. */
import { isSteps, type Pace, type Steps } from '../../../core/base/steps.ts'
import { checkCount, coerceMap } from '../../../core/field/coercion.ts'
import { listShape, mapShape } from '../../expression/index.ts'
import type { EntryReading } from './entry-reading.ts'
import type { EntryMember, MemberRule } from './member.ts'
import { unwrapSingle } from './record.ts'
import { checkUnicode } from './unicode.ts'

const ITEM_MICROSECONDS = 0.5

/** A list of at most 10,000 items. A single value counts as a list with one item. */
export const list = <T>(of: EntryMember<T>, rule?: MemberRule<readonly T[]>): EntryMember<readonly T[]> => ({
  *read(raw, path, reading) {
    const items: T[] = []
    for (const [index, item] of checkCount(Array.isArray(raw) ? raw : [raw], path).entries())
      items.push(yield* readItem(of, item, `${path}[${index}]`, reading))
    return items
  },
  isEmpty: ({ length }) => length === 0,
  check: checkItems(of, rule, (items) => items.entries()),
  shape: listShape(of.shape),
})

export type MapOf<T> = Readonly<Record<string, T>>

/** A map with at most 10,000 names, which keep their case. */
export const map = <T>(of: EntryMember<T>, rule?: MemberRule<MapOf<T>>): EntryMember<MapOf<T>> => ({
  *read(raw, path, reading) {
    const members: (readonly [string, T])[] = []
    for (const [name, value] of Object.entries(coerceMap(unwrapSingle(raw), path))) {
      if (value === undefined || value === null) continue
      members.push([checkUnicode(name, path), yield* readItem(of, value, memberPath(path, name), reading)])
    }
    // `Object.fromEntries` creates own members for all names, including those of inherited properties such as `__proto__`.
    return Object.fromEntries(members)
  },
  isEmpty: (value) => Object.keys(value).length === 0,
  check: checkItems(of, rule, Object.entries, memberPath),
  shape: mapShape(of.shape),
})

const MAX_SHOWN_CHARACTERS = 100

const memberPath = (path: string, name: string | number): string =>
  `${path}[${JSON.stringify(String(name).slice(0, MAX_SHOWN_CHARACTERS))}]`

function* readItem<T>(of: EntryMember<T>, raw: unknown, path: string, reading: EntryReading): Steps<T> {
  if (reading.pace.spend(ITEM_MICROSECONDS)) yield
  const result = of.read(raw, path, reading)
  return isSteps(result) ? yield* result : result
}

/** Validates each item first, then the list or map as a whole. */
function checkItems<T, C>(
  { check }: EntryMember<T>,
  rule: MemberRule<C> | undefined,
  itemsOf: (all: C) => Iterable<readonly [string | number, T]>,
  pathOf = (path: string, index: string | number) => `${path}[${index}]`,
): MemberRule<C> | undefined {
  if (!check) return rule
  return function* (all: C, path: string, pace: Pace): Steps<void> {
    for (const [key, item] of itemsOf(all)) {
      if (pace.spend(ITEM_MICROSECONDS)) yield
      const steps = check(item, pathOf(path, key), pace)
      if (steps) yield* steps
    }
    const steps = rule?.(all, path, pace)
    if (steps) yield* steps
  }
}
