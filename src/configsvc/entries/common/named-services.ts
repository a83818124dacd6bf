/**
 * Services that an entry leads to or offers.
 */
import type { EntryReference } from '../kind.ts'

/** A service that is named at several places comes several times. */
export function* servicesOf(services: Iterable<{ readonly Name?: string | undefined }>): Iterable<EntryReference> {
  for (const { Name = '' } of services) yield { to: 'service', name: Name }
}
