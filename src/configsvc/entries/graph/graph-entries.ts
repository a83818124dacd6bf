/** The parts of entries that are needed for checks across entries, and the interfaces for reading them. */

import { foldName } from '../../../core/base/fold-name.ts'
import type { Steps } from '../../../core/base/steps.ts'

export interface NamedEntry {
  readonly Name: string
}

/** An element of a list in an entry. The rules of the entry's kind require its `Name`. */
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

/** The destination of a route, split, redirect or failover. An absent or empty member keeps the value of the current target. */
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
  /** Percent, a multiple of 0.01; absent means 0. */
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
  /** Keyed by subset; `*` applies to subsets that have no section. */
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

/**
 * The kinds whose entries require other entries or are required by other entries, each with the type of its entries. A change of any other
 * kind needs no check across entries.
 */
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

/** Identifies an entry; names match regardless of case. */
export interface EntryKey<K extends string = string> {
  readonly kind: K
  readonly name: string
}

/**
 * Reads the entries of one namespace and partition. A read may throw a signal that records must be loaded; code in this folder must not
 * catch it.
 */
export interface EntryReader<Table> {
  readonly namespace: string
  readonly partition: string
  get<K extends keyof Table>(kind: K, name: string): Table[K] | undefined
  /** Call this before reading many entries, so that those not yet loaded are loaded together. */
  prefetch(keys: readonly EntryKey<keyof Table & string>[]): void
  /**
   * Calls `look` and returns its result. If `look` reads records that are not loaded, loads them and calls `look` again. Computations
   * before this call are not repeated.
   */
  load<T>(look: () => T): Steps<T>
}

export type GraphEntryReader = EntryReader<EntryOf>

/**
 * Finds entries by what they refer to. The result may be from before or after the change that is validated. Both are safe: the entries of
 * the change are always validated, and validating an entry that no longer refers to the service does no harm.
 */
export interface ReferenceLookup {
  /** The entries that name the given service, JWT provider or API gateway in a member other than `Name`. */
  referring(to: 'service' | 'jwt-provider' | 'api-gateway', name: string): Iterable<EntryKey>
  /** The names of all entries of a kind. */
  namesOfKind(kind: GraphKind): Iterable<string>
}

export const foldEntryName = foldName
export const isSameName = (a: string, b: string): boolean => a === b || foldEntryName(a) === foldEntryName(b)
