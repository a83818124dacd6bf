/** Members that are records with their own members. */
import { invalid } from '../../../core/base/errors.ts'
import { isSteps, type Pace, type Steps } from '../../../core/base/steps.ts'
import { coerceObject } from '../../../core/field/coercion.ts'
import { MemberNames } from '../../../core/field/member-names.ts'
import { WideObject } from '../../../core/json/wide-object.ts'
import { type RecordDataShape, recordShape } from '../../expression/index.ts'
import type { EntryReading } from './entry-reading.ts'
import type { AnyEntryMember, EntryMember, EntryMembers, MemberRule, RecordOf } from './member.ts'
import { snakeCase } from './snake-case.ts'

export interface RecordMemberRules<T> {
  /** Converts the record to its stored form: sets defaults, the order and computed members. */
  readonly normal?: ((value: T) => T) | undefined
  /** Validates several members together, after each member was validated by its own rule. */
  readonly rule?: MemberRule<T> | undefined
  /** Whether the members have no aliases. */
  readonly plain?: boolean | undefined
  /** Unknown names that are accepted, but ignored. */
  readonly ignores?: readonly string[] | undefined
}

export interface RecordMember<T> extends EntryMember<T> {
  readonly shape: RecordDataShape
}

/** Estimated costs of reading a record and each of its members. */
const RECORD_MICROSECONDS = 3

const MEMBER_MICROSECONDS = 0.8

/** The path of a member of the entry itself is only the name. */
const memberPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

export function record<M extends EntryMembers>(
  members: M,
  rules: RecordMemberRules<RecordOf<M>> = {},
): RecordMember<RecordOf<M>> {
  const list = Object.entries<AnyEntryMember>(members)
  const cost = RECORD_MICROSECONDS + MEMBER_MICROSECONDS * list.length
  const names = namesOf(list, rules)
  const { normal, rule } = rules

  function* read(raw: unknown, path: string, reading: EntryReading): Steps<RecordOf<M>> {
    const shown = path === '' ? 'body' : path
    const object = coerceObject(unwrapSingle(raw), shown)
    if (object instanceof WideObject) throw invalid(`${shown}: has too many members`)
    const sent = names.sent(object, (name) => reading.addUnknown(memberPath(path, name)))
    const found: Record<string, unknown> = {}
    for (const [name, member] of list) {
      const value = sent[name]
      if (value === undefined || value === null) continue
      const result: unknown = member.read(value, memberPath(path, name), reading)
      found[name] = isSteps(result) ? yield* result : result
    }
    if (reading.pace.spend(cost)) yield
    return withoutEmpty(list, (normal ? normal(found as RecordOf<M>) : found) as Readonly<Record<string, unknown>>) as RecordOf<M>
  }

  function* check(value: RecordOf<M>, path: string, pace: Pace): Steps<void> {
    if (pace.spend(cost)) yield
    for (const [name, member] of list) {
      const own: unknown = value[name]
      const steps = own === undefined ? undefined : member.check?.(own, memberPath(path, name), pace)
      if (steps) yield* steps
    }
    const steps = rule?.(value, path, pace)
    if (steps) yield* steps
  }

  return {
    read,
    isEmpty: (value) => Object.keys(value).length === 0,
    check,
    shape: recordShape(Object.fromEntries(list.map(([name, { shape }]) => [name, shape]))),
  }
}

/** HCL represents a block as a list that contains one object. */
export const unwrapSingle = (raw: unknown): unknown => (Array.isArray(raw) && raw.length === 1 ? raw[0] : raw)

/** Returns the members that are not empty, in the order of their definitions. */
function withoutEmpty(list: readonly (readonly [string, AnyEntryMember])[], found: Readonly<Record<string, unknown>>): object {
  const stored: Record<string, unknown> = {}
  for (const [name, { isEmpty }] of list) {
    const value = found[name]
    if (value !== undefined && !isEmpty(value)) stored[name] = value
  }
  return stored
}

function namesOf<T>(
  list: readonly (readonly [string, AnyEntryMember])[],
  { plain, ignores = [] }: RecordMemberRules<T>,
): MemberNames {
  const aliasOf = (name: string, alias = plain ? null : snakeCase(name)) => (alias === null ? [] : [[alias, name] as const])
  return new MemberNames(
    list.map(([name]) => name),
    {
      aliases: Object.fromEntries(list.flatMap(([name, { alias }]) => aliasOf(name, alias))),
      ignores: ignores.flatMap((name) => [name, ...aliasOf(name).map(([alias]) => alias)]),
    },
  )
}
