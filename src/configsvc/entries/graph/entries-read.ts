/**
 * What the checks across entries read: the members of normalised entries that matter to them, and where entries and references are found.
 */

import { foldName } from '../../../core/base/fold-name.ts'
import type { Steps } from '../../../core/base/steps.ts'

export interface Named {
  readonly Name: string
}

/** An element of a list, which the rules of its kind give a name. */
export interface Listed {
  readonly Name?: string | undefined
}

export const namesOf = (list: readonly Listed[] = []): string[] => list.flatMap(({ Name }) => Name || [])

export interface ServiceDefaults extends Named {
  readonly Protocol?: string | undefined
  readonly ExternalSNI?: string | undefined
  readonly MutualTLSMode?: string | undefined
}

export interface ProxyDefaults extends Named {
  readonly Config?: Readonly<Record<string, unknown>> | undefined
  readonly MutualTLSMode?: string | undefined
}

export interface Mesh {
  readonly AllowEnablingPermissiveMutualTLS?: boolean | undefined
}

/** Where a route, a split, a redirect or a failover leads; what is absent or empty stays as it is. */
export interface Destination {
  readonly Service?: string | undefined
  readonly ServiceSubset?: string | undefined
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
}

export interface FarDestination extends Destination {
  readonly Datacenter?: string | undefined
  readonly Peer?: string | undefined
}

export interface ServiceRouter extends Named {
  readonly Routes?: readonly { readonly Destination?: Destination | undefined }[] | undefined
}

export interface HeaderModifiers {
  readonly Add?: Readonly<Record<string, string>> | undefined
  readonly Set?: Readonly<Record<string, string>> | undefined
  readonly Remove?: readonly string[] | undefined
}

export interface ServiceSplit extends Destination {
  /** Percent, in hundredths; absent: 0. */
  readonly Weight?: number | undefined
  readonly RequestHeaders?: HeaderModifiers | undefined
  readonly ResponseHeaders?: HeaderModifiers | undefined
}

export interface ServiceSplitter extends Named {
  readonly Splits?: readonly ServiceSplit[] | undefined
}

export interface Failover extends Destination {
  readonly Datacenters?: readonly string[] | undefined
  readonly Targets?: readonly FarDestination[] | undefined
}

export interface ServiceResolver extends Named {
  readonly DefaultSubset?: string | undefined
  readonly Subsets?: Readonly<Record<string, unknown>> | undefined
  readonly Redirect?: FarDestination | undefined
  /** By subset; `*` is for those that have none of their own. */
  readonly Failover?: Readonly<Record<string, Failover>> | undefined
}

export interface TokenRequirement {
  readonly Providers?: readonly Listed[] | undefined
}

export interface IntentionSource extends Listed {
  readonly Permissions?: readonly { readonly JWT?: TokenRequirement | undefined }[] | undefined
}

export interface ServiceIntentions extends Named {
  readonly JWT?: TokenRequirement | undefined
  readonly Sources?: readonly IntentionSource[] | undefined
}

export interface IngressListener {
  readonly Port?: number | undefined
  readonly Protocol?: string | undefined
  readonly Services?: readonly Listed[] | undefined
}

export interface IngressGateway extends Named {
  readonly Listeners?: readonly IngressListener[] | undefined
}

export interface ExportedService extends Listed {
  readonly Consumers?: readonly { readonly Peer?: string | undefined }[] | undefined
}

export interface ExportedServices extends Named {
  readonly Services?: readonly ExportedService[] | undefined
}

/** By kind. Kinds that are not here neither need other entries nor are needed by any. */
export interface EntryOf {
  'service-defaults': ServiceDefaults
  'proxy-defaults': ProxyDefaults
  mesh: Mesh
  'service-router': ServiceRouter
  'service-splitter': ServiceSplitter
  'service-resolver': ServiceResolver
  'service-intentions': ServiceIntentions
  'ingress-gateway': IngressGateway
  'terminating-gateway': Named
  'exported-services': ExportedServices
  'jwt-provider': Named
}

export type GraphKind = keyof EntryOf

/** Names an entry; names are the same whatever their case. */
export interface EntryKey<K extends string = string> {
  readonly kind: K
  readonly name: string
}

/** The entries of one namespace and partition. Its reads may throw a signal, which nothing here catches. */
export interface EntriesOf<Table> {
  readonly namespace: string
  readonly partition: string
  get<K extends keyof Table>(kind: K, name: string): Table[K] | undefined
  /** Told before many entries are read, so that those that are not loaded are loaded together. */
  expect(keys: readonly EntryKey<keyof Table & string>[]): void
  /** What `look` finds. It is called again when what it lacks is loaded, and the steps around it go on where they were. */
  loaded<T>(look: () => T): Steps<T>
}

export type Entries = EntriesOf<EntryOf>

/**
 * The index of references, as of before the change that is judged or after it: the entries of the change itself are judged whatever the
 * index says of them, and one that no longer refers to something is judged for nothing.
 */
export interface References {
  /** The entries that name a service in a member other than their Name, or name an entry of a kind. */
  referring(to: 'service' | 'jwt-provider' | 'api-gateway', name: string): Iterable<EntryKey>
  /** The names of all entries of a kind. */
  allOf(kind: GraphKind): Iterable<string>
}

export const fold = foldName
export const sameName = (a: string, b: string): boolean => a === b || fold(a) === fold(b)
