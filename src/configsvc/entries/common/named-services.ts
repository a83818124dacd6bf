import type { EntryReference } from '../kind.ts'

/** References to services. A service that is named several times is yielded several times. */
export function* servicesOf(services: Iterable<{ readonly Name?: string | undefined }>): Iterable<EntryReference> {
  for (const { Name = '' } of services) yield { to: 'service', name: Name }
}
