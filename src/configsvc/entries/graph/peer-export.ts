/**
 * Services that are exported to peers.
 */
import type { Steps } from '../../../core/base/steps.ts'
import { quoted } from '../../../core/hcl/index.ts'
import type { Compiler } from './compiler.ts'
import { contradiction } from './contradiction.ts'
import { type Entries, type ExportedServices, fold, namesOf, type References } from './entries-read.ts'
import { isHttpLike } from './protocol.ts'

/** The entry has the name of its partition. */
const ofPartition = (entries: Entries): ExportedServices | undefined => entries.get('exported-services', entries.partition)

/** By folded name; `*` is all of them. */
export type Exported = ReadonlyMap<string, string>

export function exportedToPeers(entries: Entries): Exported {
  const services = ofPartition(entries)?.Services ?? []
  const toPeers = namesOf(services.filter(({ Consumers }) => Consumers?.some(({ Peer }) => Peer)))
  return new Map(toPeers.map((name) => [fold(name), name]))
}

export const isExported = (exported: Exported, service: string): boolean => exported.has('*') || exported.has(fold(service))

/** Services that have none of these resolve to themselves, which nothing forbids. */
export const RESOLVED = ['service-router', 'service-splitter', 'service-resolver'] as const

export function* exportedNames(exported: Exported, references: References): Iterable<string> {
  if (exported.has('*')) for (const kind of RESOLVED) yield* references.allOf(kind)
  else yield* exported.values()
}

/** @throws KernelError 400 if resolution goes where a peer cannot follow */
export function* judgeExport(compiler: Compiler, service: string): Steps<void> {
  const { crossing, leaving } = yield* compiler.start(service)
  // Requests tell which service they mean, connections do not.
  const reason = crossing ?? (leaving && !isHttpLike(yield* compiler.protocol(service)) ? leaving : undefined)
  if (reason)
    throw contradiction(`the service ${quoted(service)} is exported to peers, and ${reason.text}`, [service, ...reason.services])
}
