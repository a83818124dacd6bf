/**
 * Entries of a service's discovery chain, which name other services.
 */
import type { Access, Entry, Reference } from '../kind.ts'

/** The services that an entry names; its own may be among them. */
export type RelatedServices<E extends Entry> = (entry: E) => Iterable<string>

/** Who may read and write such an entry: to write it one must be able to read whatever it names. */
export const chainAccess = <E extends Entry>(related: RelatedServices<E>) => ({
  readers: (name: string): readonly Access[] => [{ permission: 'service:read', segment: name }],
  writers: (entry: E): readonly Access[] => [
    { permission: 'service:write', segment: entry.Name },
    ...[...new Set(related(entry))].map((segment): Access => ({ permission: 'service:read', segment })),
  ],
  refersTo: (entry: E): readonly Reference[] =>
    [...new Set(related(entry))].filter((name) => name !== entry.Name).map((name) => ({ to: 'service', name })),
})
