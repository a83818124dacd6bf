/** The definition of a kind of entries. Everything that differs between kinds is in the definition of each one. */
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

/** Members of every kind. Namespace and Partition are labels; the request decides the scope of an entry. */
const SHARED_MEMBERS = {
  Kind: text(),
  Name: text(),
  Namespace: text(),
  Partition: text(),
  Meta: map(text(), checkMeta),
}

/** Members of answers that clients send back. */
const ECHOED_MEMBERS = ['CreateIndex', 'ModifyIndex', 'Hash']

/** Members of every entry. Members that are zero, empty or false are left out, unless their zero differs from absence. */
export interface NormalizedEntry {
  readonly Kind: EntryKindName
  readonly Name: string
  readonly Meta?: MapOf<string> | undefined
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
  /** Only for kinds with a controller, which alone writes it. */
  readonly Status?: unknown
}

/** An entry of a kind with these members. */
export type NormalizedEntryOf<M extends EntryMembers> = NormalizedEntry & RecordOf<M>

/** A permission for one name, or for resources without names. */
export interface RequiredAccess {
  readonly permission: PermissionText
  /** The name; absent if the resource has no names. */
  readonly segment?: string
  /** True if the permission is needed for any one name. */
  readonly any?: true
  /** The namespace in which it is needed; absent: that of the request. */
  readonly namespace?: string
}

/** A reference of an entry to a service, registered or not, or to another entry. */
export interface EntryReference {
  readonly to: 'service' | EntryKindName
  /** In its original case; `*` means all. */
  readonly name: string
}

export interface EntryKind {
  readonly name: EntryKindName
  /** The members, including the shared ones. */
  readonly body: RecordMember<NormalizedEntry>
  /** Validates the name and returns the name that is stored. @throws KernelError 400 */
  readonly nameOf: (name: string) => string
  /** Entries have a `Status`, which only a controller writes. */
  readonly hasStatus: boolean
  /** Members with secrets, such as private keys. Only callers that may read the entry see them. */
  readonly secrets: readonly string[]
  /** Any one of these permissions is enough to read the entry of this name; an empty list: no permission is needed. */
  readonly readers: (name: string) => readonly RequiredAccess[]
  /**
   * All of these permissions are needed to write or delete the entry; undefined: only a controller writes it. For a delete, the entry has
   * only a name.
   */
  readonly writers: (entry: NormalizedEntry) => Iterable<RequiredAccess> | undefined
  /** May yield a service several times; never yields the entry's own name. */
  readonly refersTo: (entry: NormalizedEntry) => Iterable<EntryReference>
}

export interface KindDefinition<M extends EntryMembers> extends Omit<RecordMemberRules<NormalizedEntryOf<M>>, 'ignores'> {
  readonly name: EntryKindName
  readonly members: M
  /** Default: any name except an empty one and `*`. */
  readonly nameOf?: EntryKind['nameOf']
  readonly hasStatus?: true
  readonly secrets?: readonly (keyof M & string)[]
  readonly readers: EntryKind['readers']
  readonly writers: (entry: NormalizedEntryOf<M>) => Iterable<RequiredAccess> | undefined
  readonly refersTo?: (entry: NormalizedEntryOf<M>) => Iterable<EntryReference>
}

/** A kind with the type of its entries. */
export interface TypedKind<E extends NormalizedEntry> extends EntryKind {
  /** Exists only for the type system. */
  readonly '~entry'?: E
}

/** The type of the entries of a kind. */
export type EntryType<K> = K extends TypedKind<infer E> ? E : never

/** Creates a kind from its definition. */
export function defineKind<M extends EntryMembers>(row: KindDefinition<M>): TypedKind<NormalizedEntryOf<M>> {
  const { name, members, plain, rule, normal = (entry) => entry, nameOf = serviceName, hasStatus = false, secrets = [] } = row
  // Code that looks up a kind by name cannot know the type of its members.
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
