import type { EntryReference } from '../kind.ts'

/** References to services. Duplicates are not removed. */
export function* servicesOf(services: Iterable<{ readonly Name?: string | undefined }>): Iterable<EntryReference> {
  for (const { Name = '' } of services) yield { to: 'service', name: Name }
}
