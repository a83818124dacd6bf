/**
 * Config entries of discovery chains name other services. This module finds these references, and the permissions that a caller needs to
 * write such an entry.
 */
import { isSameName } from '../graph/graph-entries.ts'
import type { EntryReference, NormalizedEntry, RequiredAccess } from '../kind.ts'

export interface RelatedService {
  readonly name: string
  /** Absent means the namespace of the entry. */
  readonly namespace?: string | undefined
}

/** The services that an entry names, possibly including its own service. */
export type RelatedServices<E extends NormalizedEntry> = (entry: E) => Iterable<RelatedService>

/** Whether a destination is the entry's own service. An empty name or namespace means that of the entry. */
export const isOwnService = ({ Name }: NormalizedEntry, service: string | undefined, namespace?: string): boolean =>
  !namespace && (!service || isSameName(service, Name))

/** Writing such an entry requires permission to read every service that it names. */
export const chainAccess = <E extends NormalizedEntry>(related: RelatedServices<E>) => ({
  readers: (name: string): readonly RequiredAccess[] => [{ permission: 'service:read', segment: name }],
  *writers(entry: E): Iterable<RequiredAccess> {
    yield { permission: 'service:write', segment: entry.Name }
    yield* readsOf(related(entry))
  },
  *refersTo(entry: E): Iterable<EntryReference> {
    for (const { name } of related(entry)) if (!isSameName(name, entry.Name)) yield { to: 'service', name }
  },
})

/** Yields each required permission once. This is a generator, because there may be thousands. */
function* readsOf(services: Iterable<RelatedService>): Iterable<RequiredAccess> {
  const seen = new Set<string>()
  for (const { name, namespace } of services) {
    const key = namespace ? `${namespace}\n${name}` : name
    if (seen.has(key)) continue
    seen.add(key)
    yield { permission: 'service:read', segment: name, ...(namespace && { namespace }) }
  }
}
