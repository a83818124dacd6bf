/**
 * A member of an entry, or of a record within an entry: how it is read from a body, when it counts as absent, its validation rule, and its
 * shape for filters.
 */
import type { Pace, Steps } from '../../../core/base/steps.ts'
import type { Shape } from '../../expression/index.ts'
import type { EntryReading } from './entry-reading.ts'

/** Validates a value without regard to other members. @throws KernelError 400 that names the path. */
export type MemberRule<T> = (value: T, path: string, pace: Pace) => void | Steps<void>

export interface EntryMember<T> {
  /** Reads a value and converts it to its stored form. As in Consul, other JSON types are coerced. @throws KernelError 400 */
  readonly read: (raw: unknown, path: string, reading: EntryReading) => T | Steps<T>
  /** Whether the value counts as absent, so that it is not stored. */
  readonly isEmpty: (value: T) => boolean
  readonly check?: MemberRule<T> | undefined
  readonly shape: Shape
  /** The alias of the member's name; null: it has no alias. Default: the name in snake case. */
  readonly alias?: string | null
}

// `any` is safe: a value that a member has read is passed only to functions of the same member.
// biome-ignore lint/suspicious/noExplicitAny: no other type accepts every EntryMember<T>, which both takes and returns T.
export type AnyEntryMember = EntryMember<any>

export type EntryMembers = Readonly<Record<string, AnyEntryMember>>

/** The type of a member's values. */
export type ValueOf<M> = M extends EntryMember<infer T> ? T : never

/** The type of a record. A member may be absent if it is zero, empty or false. */
export type RecordOf<M extends EntryMembers> = { readonly [K in keyof M]?: ValueOf<M[K]> | undefined }

/** A member whose zero value has another meaning than its absence. */
export const keepZero = <T>(member: EntryMember<T>): EntryMember<T> => ({ ...member, isEmpty: () => false })

/** A member whose alias is not its name in snake case, or which has no alias. */
export const withAlias = <T>(member: EntryMember<T>, alias: string | null): EntryMember<T> => ({ ...member, alias })
