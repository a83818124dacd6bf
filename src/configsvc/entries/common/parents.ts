/** The gateways that a route binds to. */
import type { EntryReference } from '../kind.ts'
import { checkDistinct } from './distinct.ts'
import { type ResourceReference, references } from './resource-reference.ts'

/** References to a gateway as a whole and to one of its listeners do not count as duplicates. */
export const PARENTS = references({
  to: ['api-gateway'],
  byDefault: 'api-gateway',
  rule: (parents, path) =>
    checkDistinct(
      parents,
      ({ Kind, Name, SectionName, Namespace, Partition }) => ({ Name, Kind, SectionName, Namespace, Partition }),
      path,
    ),
})

export function* parentsOf({
  Parents = [],
}: {
  readonly Parents?: readonly ResourceReference[] | undefined
}): Iterable<EntryReference> {
  for (const { Name = '' } of Parents) yield { to: 'api-gateway', name: Name }
}
