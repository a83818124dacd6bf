/** The primary's answer to a hello. A secondary sends a hello regularly as a heartbeat. */

import { STORE_FORMAT } from '../../../core/transaction/store-format.ts'
import { type CountsPage, type CountsParts, reportedCountsPage } from '../counts.ts'
import { checkpointOf } from '../filters/checkpoint.ts'
import type { SecondaryScope } from '../filters/secondary-scopes.ts'
import { readFindings } from '../inspect/stored-inspections.ts'
import { newestEntry } from '../log/log-pages.ts'
import type { TreeMaintainer } from '../log/tree-maintainer.ts'
import type { SetMember } from '../membership.ts'
import { domainOf } from '../state/domain.ts'
import { type History, lastOf } from '../state/history.ts'
import { DR } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import type { Message } from '../wire/message-members.ts'
import { plainHistory } from '../wire/read-messages.ts'

/** The layout of replicated and cluster-local records. */
export const LAYOUT = STORE_FORMAT

/** The index of the newest record in the set's history. */
export async function headOf(host: SetHost, history: History): Promise<number> {
  return lastOf(history).start + (await newestEntry(host.store))
}

interface StandingParts extends CountsParts {
  readonly treeMaintainer: TreeMaintainer
  /** The addresses of this cluster, and of clusters that may take over. */
  readonly addresses: readonly string[]
  /** Whether the cluster waits for acknowledgements. */
  readonly acknowledge: boolean
  /** Returns the index up to which records are acknowledged, given the index of the newest one. */
  readonly acknowledged: (head: number) => Promise<number>
}

export async function primaryStateMessage(
  { host, membership, treeMaintainer, addresses, acknowledge, acknowledged }: StandingParts,
  { relation }: SetMember,
  countsAfter: string,
  scope: SecondaryScope,
): Promise<Message> {
  const isPrimary = membership.mode === 'primary'
  // Read the head after the checkpoint: a secondary that has everything up to the head then knows all mounts that the checkpoint depends
  // on.
  const checkpoint = await checkpointOf(host, scope, treeMaintainer, relation.history)
  const { value: treeProgress } = await host.kind.treeProgress.read(host.store)
  const { certificate } = relation
  const { faults } = await readFindings(host)
  const { counts, next } = await countsInScope({ host, membership }, countsAfter, scope)
  const head = isPrimary ? await headOf(host, relation.history) : (certificate?.index ?? treeProgress?.index ?? 0)
  return {
    view: scope.token,
    partial: scope.isPartial,
    set: relation.set,
    layout: LAYOUT,
    mode: membership.mode,
    history: plainHistory(relation.history),
    head,
    ...(isPrimary ? { acknowledged: await acknowledged(head) } : {}),
    checkpoint: faults === 0 ? checkpoint : null,
    faults,
    certificate: certificate ? { ...certificate } : null,
    addresses,
    counts,
    counts_next: next,
    acknowledge,
    ...(host.kind === DR ? { gaps: membership.role.gaps ?? 0 } : {}),
  }
}

/**
 * Returns a page of counts without the counts of hidden domains. The name at which the next page begins must not be in a hidden domain
 * either.
 */
async function countsInScope(parts: CountsParts, after: string, scope: SecondaryScope): Promise<CountsPage> {
  for (let from = after; ; ) {
    const { counts, next } = await reportedCountsPage(parts, from)
    const visible = counts.filter(({ of }) => scope.includes(domainOf(`r/${of}`)))
    if (next === '' || scope.includes(domainOf(`r/${next}`))) return { counts: visible, next }
    const last = visible.at(-1)
    if (last) return { counts: visible, next: last.of }
    from = next
  }
}
