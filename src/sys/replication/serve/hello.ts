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

/** The version of the record layout. The primary and the secondary must use the same layout. */
export const LAYOUT = STORE_FORMAT

/** Returns the log index of the newest record of this cluster. */
export async function headOf(host: SetHost, history: History): Promise<number> {
  return lastOf(history).start + (await newestEntry(host.store))
}

interface StandingParts extends CountsParts {
  readonly treeMaintainer: TreeMaintainer
  /** The addresses of this cluster, and of clusters that can take over its role. */
  readonly addresses: readonly string[]
  /** Whether writes on this cluster wait for acknowledgements of secondaries. */
  readonly acknowledge: boolean
  /** Returns the index up to which the primary has acknowledged records to its clients. `head` is the index of the newest record. */
  readonly acknowledged: (head: number) => Promise<number>
}

export async function primaryStateMessage(
  { host, membership, treeMaintainer, addresses, acknowledge, acknowledged }: StandingParts,
  { relation, version }: SetMember,
  countsAfter: string,
  scope: SecondaryScope,
): Promise<Message> {
  const isPrimary = membership.mode === 'primary'
  // Read the index of the newest record (the head) after the checkpoint. Then a secondary that has all records up to the head has the
  // records of all mounts that the checkpoint depends on.
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
    membership: version,
    ...(host.kind === DR ? { gaps: membership.role.gaps ?? 0 } : {}),
  }
}

/**
 * Returns a page of the counts that the secondary may see. The page also contains the key at which the next page begins. That key must not
 * be hidden from the secondary, so the page is cut or extended until it ends at a visible key.
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
