/**
 * What the checks across entries read: the members of normalised entries that matter to them, and where entries and references are found.
 */

import { foldName } from '../../../core/base/fold-name.ts'
import type { Steps } from '../../../core/base/steps.ts'

export interface NamedEntry {
  readonly Name: string
}

/** An element of a list, which the rules of its kind give a name. */
export interface ListedItem {
  readonly Name?: string | undefined
}

export const listedNames = (list: readonly ListedItem[] = []): string[] => list.flatMap(({ Name }) => Name || [])

export interface ServiceDefaults extends NamedEntry {
  readonly Protocol?: string | undefined
  readonly ExternalSNI?: string | undefined
  readonly MutualTLSMode?: string | undefined
}

export interface ProxyDefaults extends NamedEntry {
  readonly Config?: Readonly<Record<string, unknown>> | undefined
  readonly MutualTLSMode?: string | undefined
}

export interface Mesh {
  readonly AllowEnablingPermissiveMutualTLS?: boolean | undefined
}

/** Where a route, a split, a redirect or a failover leads; what is absent or empty stays as it is. */
export interface ChainDestination {
  readonly Service?: string | undefined
  readonly ServiceSubset?: string | undefined
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
}

export interface RemoteDestination extends ChainDestination {
  readonly Datacenter?: string | undefined
  readonly Peer?: string | undefined
}

export interface ServiceRouter extends NamedEntry {
  readonly Routes?: readonly { readonly Destination?: ChainDestination | undefined }[] | undefined
}

export interface HeaderModifiers {
  readonly Add?: Readonly<Record<string, string>> | undefined
  readonly Set?: Readonly<Record<string, string>> | undefined
  readonly Remove?: readonly string[] | undefined
}

export interface ServiceSplit extends ChainDestination {
  /** Percent, in hundredths; absent: 0. */
  readonly Weight?: number | undefined
  readonly RequestHeaders?: HeaderModifiers | undefined
  readonly ResponseHeaders?: HeaderModifiers | undefined
}

export interface ServiceSplitter extends NamedEntry {
  readonly Splits?: readonly ServiceSplit[] | undefined
}

export interface FailoverSection extends ChainDestination {
  readonly Datacenters?: readonly string[] | undefined
  readonly Targets?: readonly RemoteDestination[] | undefined
}

export interface ServiceResolver extends NamedEntry {
  readonly DefaultSubset?: string | undefined
  readonly Subsets?: Readonly<Record<string, unknown>> | undefined
  readonly Redirect?: RemoteDestination | undefined
  /** By subset; `*` is for those that have none of their own. */
  readonly Failover?: Readonly<Record<string, FailoverSection>> | undefined
}

export interface TokenRequirement {
  readonly Providers?: readonly ListedItem[] | undefined
}

export interface IntentionSource extends ListedItem {
  readonly Permissions?: readonly { readonly JWT?: TokenRequirement | undefined }[] | undefined
}

export interface ServiceIntentions extends NamedEntry {
  readonly JWT?: TokenRequirement | undefined
  readonly Sources?: readonly IntentionSource[] | undefined
}

export interface IngressListener {
  readonly Port?: number | undefined
  readonly Protocol?: string | undefined
  readonly Services?: readonly ListedItem[] | undefined
}

export interface IngressGateway extends NamedEntry {
  readonly Listeners?: readonly IngressListener[] | undefined
}

export interface ExportedService extends ListedItem {
  readonly Consumers?: readonly { readonly Peer?: string | undefined }[] | undefined
}

export interface ExportedServices extends NamedEntry {
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
  'terminating-gateway': NamedEntry
  'exported-services': ExportedServices
  'jwt-provider': NamedEntry
}

export type GraphKind = keyof EntryOf

/** Names an entry; names are the same whatever their case. */
export interface EntryKey<K extends string = string> {
  readonly kind: K
  readonly name: string
}

/** The entries of one namespace and partition. Its reads may throw a signal, which nothing here catches. */
export interface EntryReader<Table> {
  readonly namespace: string
  readonly partition: string
  get<K extends keyof Table>(kind: K, name: string): Table[K] | undefined
  /** Told before many entries are read, so that those that are not loaded are loaded together. */
  prefetch(keys: readonly EntryKey<keyof Table & string>[]): void
  /** What `look` finds. It is called again when what it lacks is loaded, and the steps around it go on where they were. */
  load<T>(look: () => T): Steps<T>
}

export type GraphEntryReader = EntryReader<EntryOf>

/**
 * The index of references, as of before the change that is judged or after it: the entries of the change itself are judged whatever the
 * index says of them, and one that no longer refers to something is judged for nothing.
 */
export interface ReferenceLookup {
  /** The entries that name a service in a member other than their Name, or name an entry of a kind. */
  referring(to: 'service' | 'jwt-provider' | 'api-gateway', name: string): Iterable<EntryKey>
  /** The names of all entries of a kind. */
  namesOfKind(kind: GraphKind): Iterable<string>
}

export const foldEntryName = foldName
export const isSameName = (a: string, b: string): boolean => a === b || foldEntryName(a) === foldEntryName(b)
