/**
 * Entries of a service's discovery chain, which name other services.
 */
import { sameName } from '../graph/entries-read.ts'
import type { Access, Entry, Reference } from '../kind.ts'

/** A service that an entry names. */
export interface RelatedService {
  readonly name: string
  /** Absent: the namespace of the entry. */
  readonly namespace?: string | undefined
}

/** The services that an entry names; its own may be among them. */
export type RelatedServices<E extends Entry> = (entry: E) => Iterable<RelatedService>

/** Whether a destination is the entry's own service. An empty name and an empty namespace are those of the entry. */
export const isOwn = ({ Name }: Entry, service: string | undefined, namespace?: string): boolean =>
  !namespace && (!service || sameName(service, Name))

/** Who may read and write such an entry: to write it one must be able to read whatever it names. */
export const chainAccess = <E extends Entry>(related: RelatedServices<E>) => ({
  readers: (name: string): readonly Access[] => [{ permission: 'service:read', segment: name }],
  writers: (entry: E): readonly Access[] => [{ permission: 'service:write', segment: entry.Name }, ...readsOf(related(entry))],
  refersTo: (entry: E): readonly Reference[] =>
    [...new Set([...related(entry)].map(({ name }) => name))]
      .filter((name) => !sameName(name, entry.Name))
      .map((name) => ({ to: 'service', name })),
})

/** Each once. */
function readsOf(services: Iterable<RelatedService>): readonly Access[] {
  const reads = new Map<string, Access>()
  for (const { name, namespace } of services)
    reads.set(JSON.stringify([name, namespace || '']), {
      permission: 'service:read',
      segment: name,
      ...(namespace && { namespace }),
    })
  return [...reads.values()]
}
