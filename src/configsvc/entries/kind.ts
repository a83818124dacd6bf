/**
 * A kind of entries. Whatever differs between two kinds is said in the row of each, and nowhere else.
 */
import type { PermissionText } from '../rules/index.ts'
import {
  type EntryMembers,
  type MapOf,
  type MemberRule,
  map,
  type RecordMember,
  type RecordMemberRules,
  type RecordOf,
  record,
  text,
} from './members/index.ts'
import { checkMeta } from './meta.ts'
import { serviceName } from './names.ts'

export type EntryKindName =
  | 'api-gateway'
  | 'bound-api-gateway'
  | 'exported-services'
  | 'file-system-certificate'
  | 'http-route'
  | 'ingress-gateway'
  | 'inline-certificate'
  | 'jwt-provider'
  | 'mesh'
  | 'proxy-defaults'
  | 'service-defaults'
  | 'service-intentions'
  | 'service-resolver'
  | 'service-router'
  | 'service-splitter'
  | 'tcp-route'
  | 'terminating-gateway'

/** Members of every kind. Namespace and Partition are labels: which place an entry is in, the request says. */
const SHARED_MEMBERS = {
  Kind: text(),
  Name: text(),
  Namespace: text(),
  Partition: text(),
  Meta: map(text(), checkMeta),
}

/** What a client sends back of an answer. */
const ECHOED_MEMBERS = ['CreateIndex', 'ModifyIndex', 'Hash']

/** What every entry has. Members that are zero, empty or false are left out, but for those whose zero says something of its own. */
export interface NormalizedEntry {
  readonly Kind: EntryKindName
  readonly Name: string
  readonly Meta?: MapOf<string> | undefined
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
  /** Of kinds with a controller, which alone writes it. */
  readonly Status?: unknown
}

/** An entry as its kind's table of members has it. */
export type NormalizedEntryOf<M extends EntryMembers> = NormalizedEntry & RecordOf<M>

/** A permission, on one name or on all there is. */
export interface RequiredAccess {
  readonly permission: PermissionText
  /** The name; absent where the resource has none. */
  readonly segment?: string
  /** On any name, whichever. */
  readonly any?: true
  /** The namespace in which it is needed; absent: that of the request. */
  readonly namespace?: string
}

/** What an entry names: services, registered or not, or another entry. */
export interface EntryReference {
  readonly to: 'service' | EntryKindName
  /** In the case it was written in; `*` is all of them. */
  readonly name: string
}

export interface EntryKind {
  readonly name: EntryKindName
  /** Its members, with those of every kind. */
  readonly body: RecordMember<NormalizedEntry>
  /** The name that an entry of this kind has if it is given this one. @throws KernelError 400 */
  readonly nameOf: (name: string) => string
  /** Entries have a `Status`, which a controller writes. */
  readonly hasStatus: boolean
  /** Members that are encrypted at rest, and shown to the readers of the entry alone. */
  readonly secrets: readonly string[]
  /** Any one of them is enough to read the entry of this name; none: everybody may. */
  readonly readers: (name: string) => readonly RequiredAccess[]
  /** All of them are needed to write or delete the entry; undefined: nobody may. To delete, the name alone counts. */
  readonly writers: (entry: NormalizedEntry) => Iterable<RequiredAccess> | undefined
  /** A service that is named twice may come twice; the entry's own name is not among them. */
  readonly refersTo: (entry: NormalizedEntry) => Iterable<EntryReference>
}

export interface KindDefinition<M extends EntryMembers> extends Omit<RecordMemberRules<NormalizedEntryOf<M>>, 'ignores'> {
  readonly name: EntryKindName
  readonly members: M
  /** Default: any name but none and `*`. */
  readonly nameOf?: EntryKind['nameOf']
  readonly hasStatus?: true
  readonly secrets?: readonly (keyof M & string)[]
  readonly readers: EntryKind['readers']
  readonly writers: (entry: NormalizedEntryOf<M>) => Iterable<RequiredAccess> | undefined
  readonly refersTo?: (entry: NormalizedEntryOf<M>) => Iterable<EntryReference>
}

/** A kind that knows the type of its entries. */
export interface TypedKind<E extends NormalizedEntry> extends EntryKind {
  /** Type only. */
  readonly '~entry'?: E
}

/** The type of the entries of a kind. */
export type EntryType<K> = K extends TypedKind<infer E> ? E : never

/** The row of a kind. */
export function defineKind<M extends EntryMembers>(row: KindDefinition<M>): TypedKind<NormalizedEntryOf<M>> {
  const { name, members, plain, rule, normal = (entry) => entry, nameOf = serviceName, hasStatus = false, secrets = [] } = row
  // What is typed by the members of this kind is not so to those who look it up by name.
  const { refersTo = () => [], writers } = row as unknown as KindDefinition<EntryMembers>
  const body = record(
    { ...SHARED_MEMBERS, ...members },
    {
      plain,
      ignores: hasStatus ? [...ECHOED_MEMBERS, 'Status'] : ECHOED_MEMBERS,
      normal: (found) => normal({ ...found, Kind: name, Name: nameOf(found.Name ?? '') } as NormalizedEntryOf<M>),
      rule: rule as MemberRule<unknown> | undefined,
    },
  )
  return {
    name,
    body: body as RecordMember<unknown> as RecordMember<NormalizedEntry>,
    nameOf,
    hasStatus,
    secrets,
    readers: row.readers,
    writers,
    refersTo,
  }
}
