/**
 * Services that are exported to peers.
 */
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

/** The entry has the name of its partition. */
const ofPartition = (entries: GraphEntryReader): ExportedServices | undefined =>
  entries.get('exported-services', entries.partition)

/** By folded name; `*` is all of them. */
export type ExportedServiceNames = ReadonlyMap<string, string>

export function exportedToPeers(entries: GraphEntryReader): ExportedServiceNames {
  const services = ofPartition(entries)?.Services ?? []
  const toPeers = listedNames(services.filter(({ Consumers }) => Consumers?.some(({ Peer }) => Peer)))
  return new Map(toPeers.map((name) => [foldEntryName(name), name]))
}

export const isExported = (exported: ExportedServiceNames, service: string): boolean =>
  exported.has('*') || exported.has(foldEntryName(service))

/** Services that have none of these resolve to themselves, which nothing forbids. */
export const RESOLUTION_KINDS = ['service-router', 'service-splitter', 'service-resolver'] as const

export function* exportedServiceNames(exported: ExportedServiceNames, references: ReferenceLookup): Iterable<string> {
  if (exported.has('*')) for (const kind of RESOLUTION_KINDS) yield* references.namesOfKind(kind)
  else yield* exported.values()
}

/** @throws KernelError 400 if resolution goes where a peer cannot follow */
export function* validateExport(compiler: Compiler, service: string): Steps<void> {
  const { crossing, leaving } = yield* compiler.start(service)
  // Requests tell which service they mean, connections do not.
  const reason = crossing ?? (leaving && !isHttpLike(yield* compiler.protocol(service)) ? leaving : undefined)
  if (reason)
    throw contradiction(`the service ${quoteText(service)} is exported to peers, and ${reason.text}`, [
      service,
      ...reason.services,
    ])
}
