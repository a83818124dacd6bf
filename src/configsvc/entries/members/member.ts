/**
 * A member of an entry or of a record within an entry: how it is read from a body, when it is left out, its validation rule, and its shape
 * for filters.
 */
import type { Pace, Steps } from '../../../core/base/steps.ts'
import type { Shape } from '../../expression/index.ts'
import type { EntryReading } from './entry-reading.ts'

/** Validates a value by itself. @throws KernelError 400 that names the path. */
export type MemberRule<T> = (value: T, path: string, pace: Pace) => void | Steps<void>

export interface EntryMember<T> {
  /** Reads a value and converts it to its stored form. As in Consul, other JSON types are coerced. @throws KernelError 400 */
  readonly read: (raw: unknown, path: string, reading: EntryReading) => T | Steps<T>
  /** Whether the value counts as absent; it is then not stored. */
  readonly isEmpty: (value: T) => boolean
  readonly check?: MemberRule<T> | undefined
  readonly shape: Shape
  /** The alias of the member's name; null: none. Default: the name in snake case. */
  readonly alias?: string | null
}

// A value of a member is only used with the table that the member belongs to.
// biome-ignore lint/suspicious/noExplicitAny: no other type accepts every EntryMember<T>, which both takes and returns T.
export type AnyEntryMember = EntryMember<any>

export type EntryMembers = Readonly<Record<string, AnyEntryMember>>

/** The type of a member's values. */
export type ValueOf<M> = M extends EntryMember<infer T> ? T : never

/** The type of a record. Members that are zero, empty or false may be absent. */
export type RecordOf<M extends EntryMembers> = { readonly [K in keyof M]?: ValueOf<M[K]> | undefined }

/** A member whose zero value differs from its absence. */
export const keepZero = <T>(member: EntryMember<T>): EntryMember<T> => ({ ...member, isEmpty: () => false })

/** A member with an irregular alias, or with none. */
export const withAlias = <T>(member: EntryMember<T>, alias: string | null): EntryMember<T> => ({ ...member, alias })
