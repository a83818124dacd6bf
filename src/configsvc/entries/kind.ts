/** The definition of a kind of entries. It contains everything in which kinds differ. */
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

/** The members that entries of every kind have. Namespace and Partition are labels only: the request decides where an entry is stored. */
const SHARED_MEMBERS = {
  Kind: text(),
  Name: text(),
  Namespace: text(),
  Partition: text(),
  Meta: map(text(), checkMeta),
}

/** Members of responses. Requests may contain them, because clients send back what they have read. */
const ECHOED_MEMBERS = ['CreateIndex', 'ModifyIndex', 'Hash']

/** Members of every entry. A member that is zero, empty or false is left out, unless that value has another meaning than absence. */
export interface NormalizedEntry {
  readonly Kind: EntryKindName
  readonly Name: string
  readonly Meta?: MapOf<string> | undefined
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
  /** The status of the entry. Only kinds with a controller have a status, and only the controller writes it. */
  readonly Status?: unknown
}

/** An entry of a kind with these members. */
export type NormalizedEntryOf<M extends EntryMembers> = NormalizedEntry & RecordOf<M>

/** A permission for one name, or for resources without names. */
export interface RequiredAccess {
  readonly permission: PermissionText
  /** The name of the resource; absent for resources without names. */
  readonly segment?: string
  /** True if the permission for any one name is enough. */
  readonly any?: true
  /** The namespace in which the permission is needed; absent: the namespace of the request. */
  readonly namespace?: string
}

/** A reference from an entry to another entry or to a service, which need not be registered. */
export interface EntryReference {
  readonly to: 'service' | EntryKindName
  /** In its original case; `*` means all names. */
  readonly name: string
}

export interface EntryKind {
  readonly name: EntryKindName
  /** The members, including the shared ones. */
  readonly body: RecordMember<NormalizedEntry>
  /** Validates the name and returns the name that is stored. @throws KernelError 400 */
  readonly nameOf: (name: string) => string
  /** Whether entries have a `Status`, which only a controller writes. */
  readonly hasStatus: boolean
  /** Members that contain secrets, such as private keys. They are shown only to callers that may read the entry. */
  readonly secrets: readonly string[]
  /** One of these permissions is enough to read the entry with this name. If the list is empty, no permission is needed. */
  readonly readers: (name: string) => readonly RequiredAccess[]
  /**
   * All of these permissions are needed to write or delete the entry; undefined: only a controller writes it. For a delete, the entry
   * contains only a name.
   */
  readonly writers: (entry: NormalizedEntry) => Iterable<RequiredAccess> | undefined
  /** May yield a service several times, but never the entry's own name. */
  readonly refersTo: (entry: NormalizedEntry) => Iterable<EntryReference>
}

export interface KindDefinition<M extends EntryMembers> extends Omit<RecordMemberRules<NormalizedEntryOf<M>>, 'ignores'> {
  readonly name: EntryKindName
  readonly members: M
  /** Default: any name except the empty string and `*`. */
  readonly nameOf?: EntryKind['nameOf']
  readonly hasStatus?: true
  readonly secrets?: readonly (keyof M & string)[]
  readonly readers: EntryKind['readers']
  readonly writers: (entry: NormalizedEntryOf<M>) => Iterable<RequiredAccess> | undefined
  readonly refersTo?: (entry: NormalizedEntryOf<M>) => Iterable<EntryReference>
}

/** A kind, with the type of its entries. */
export interface TypedKind<E extends NormalizedEntry> extends EntryKind {
  /** Exists only for the type system. */
  readonly '~entry'?: E
}

/** The type of the entries of a kind. */
export type EntryType<K> = K extends TypedKind<infer E> ? E : never

/** Creates a kind from its definition. */
export function defineKind<M extends EntryMembers>(row: KindDefinition<M>): TypedKind<NormalizedEntryOf<M>> {
  const { name, members, plain, rule, normal = (entry) => entry, nameOf = serviceName, hasStatus = false, secrets = [] } = row
  // The result has general types, because code that looks up a kind by name does not know the types of its members. The cast is safe,
  // because the functions are called only with entries of this kind.
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
