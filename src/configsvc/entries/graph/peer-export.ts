import type { Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import type { Compiler } from './compiler.ts'
import { contradiction } from './contradiction.ts'
import {
  type ExportedServices,
  foldEntryName,
  type GraphEntryReader,
  listedNames,
  type ReferenceLookup,
} from './graph-entries.ts'
import { isHttpLike } from './protocol.ts'

/** The exported-services entry has the name of its partition. */
const ofPartition = (entries: GraphEntryReader): ExportedServices | undefined =>
  entries.get('exported-services', entries.partition)

/** The names of the exported services, keyed by folded name. The name `*` means all services. */
export type ExportedServiceNames = ReadonlyMap<string, string>

export function exportedToPeers(entries: GraphEntryReader): ExportedServiceNames {
  const services = ofPartition(entries)?.Services ?? []
  const toPeers = listedNames(services.filter(({ Consumers }) => Consumers?.some(({ Peer }) => Peer)))
  return new Map(toPeers.map((name) => [foldEntryName(name), name]))
}

export const isExported = (exported: ExportedServiceNames, service: string): boolean =>
  exported.has('*') || exported.has(foldEntryName(service))

/** A service without any of these entries resolves to itself, which is always allowed. */
export const RESOLUTION_KINDS = ['service-router', 'service-splitter', 'service-resolver'] as const

export function* exportedServiceNames(exported: ExportedServiceNames, references: ReferenceLookup): Iterable<string> {
  if (exported.has('*')) for (const kind of RESOLUTION_KINDS) yield* references.namesOfKind(kind)
  else yield* exported.values()
}

/** @throws KernelError 400 if a peer cannot follow the resolution of the service */
export function* validateExport(compiler: Compiler, service: string): Steps<void> {
  const { crossing, leaving } = yield* compiler.start(service)
  // An HTTP request names its service, so a peer can follow a redirect to another service. A TCP connection names no service.
  const reason = crossing ?? (leaving && !isHttpLike(yield* compiler.protocol(service)) ? leaving : undefined)
  if (reason)
    throw contradiction(`the service ${quoteText(service)} is exported to peers, and ${reason.text}`, [
      service,
      ...reason.services,
    ])
}
