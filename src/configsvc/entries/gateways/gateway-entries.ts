/** The parts of gateway and route entries that reconciliation reads and writes. */
import type { EntryKey, EntryOf, EntryReader, ListedItem, NamedEntry } from '../graph/graph-entries.ts'

export interface ResourceReference {
  readonly Kind: string
  readonly Name: string
  /** A listener of the gateway; empty means all listeners. */
  readonly SectionName?: string | undefined
}

/** A reference as it is written in an entry. */
export interface ReferenceInput extends ListedItem {
  readonly Kind?: string | undefined
  readonly SectionName?: string | undefined
}

/** @param kind The kind to assume if the reference names none. */
export const referenceOf = ({ Kind, Name = '', SectionName }: ReferenceInput, kind: string): ResourceReference => ({
  Kind: Kind || kind,
  Name,
  ...(SectionName && { SectionName }),
})

export interface Condition {
  readonly Type: string
  readonly Status: 'True' | 'False' | 'Unknown'
  readonly Reason: string
  readonly Message: string
  readonly Resource: ResourceReference
  /** RFC 3339. */
  readonly LastTransitionTime: string
}

export interface EntryStatus {
  readonly Conditions: readonly Condition[]
}

export interface EntryWithStatus extends NamedEntry {
  readonly Status?: { readonly Conditions?: readonly Condition[] | undefined } | undefined
}

export interface GatewayListener extends ListedItem {
  readonly Hostname?: string | undefined
  readonly Protocol?: string | undefined
  readonly TLS?: { readonly Certificates?: readonly ReferenceInput[] | undefined } | undefined
}

export interface ApiGateway extends EntryWithStatus {
  readonly Listeners?: readonly GatewayListener[] | undefined
}

export interface TcpRoute extends EntryWithStatus {
  readonly Parents?: readonly ReferenceInput[] | undefined
  readonly Services?: readonly ListedItem[] | undefined
}

export interface HttpRoute extends EntryWithStatus {
  readonly Parents?: readonly ReferenceInput[] | undefined
  readonly Hostnames?: readonly string[] | undefined
  readonly Rules?: readonly { readonly Services?: readonly ListedItem[] | undefined }[] | undefined
}

export interface BoundListener {
  readonly Name: string
  readonly Routes: readonly ResourceReference[]
  readonly Certificates: readonly ResourceReference[]
}

/** The routes and certificates that a gateway serves. Only reconciliation computes and writes this entry. */
export interface BoundApiGateway {
  readonly Kind: 'bound-api-gateway'
  readonly Name: string
  readonly Listeners: readonly BoundListener[]
  /** The routes that lead to each service, keyed by service name. */
  readonly Services: Readonly<Record<string, readonly ResourceReference[]>>
}

export interface GatewayEntryOf extends EntryOf {
  'api-gateway': ApiGateway
  'http-route': HttpRoute
  'tcp-route': TcpRoute
  'inline-certificate': NamedEntry
  'file-system-certificate': NamedEntry
}

export type RouteKind = 'http-route' | 'tcp-route'
export type RouteKey = EntryKey<RouteKind>

export type GatewayEntries = EntryReader<GatewayEntryOf>
