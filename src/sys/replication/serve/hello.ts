/**
 * Tells a secondary where the primary stands; a secondary says hello again as a heartbeat.
 */

import type { Host } from '../../../core/transaction/host.ts'
import { STORE_FORMAT } from '../../../core/transaction/store-format.ts'
import { pageOfCounts } from '../counts.ts'
import { newestEntry } from '../log/log-pages.ts'
import type { Member, Membership } from '../membership.ts'
import type { Nodes } from '../nodes.ts'
import { type History, lastOf } from '../state/history.ts'
import { FOLDED } from '../state/records.ts'
import { type Message, textOf } from '../wire/judged.ts'
import { plainHistory } from '../wire/read-messages.ts'

/** The layout of replicated and local records. */
export const LAYOUT = STORE_FORMAT

/** The index of the newest record in the set's history. */
export async function headOf(host: Host, history: History): Promise<number> {
  return lastOf(history).start + (await newestEntry(host.store))
}

export async function standing(
  { host, membership, nodes }: { readonly host: Host; readonly membership: Membership; readonly nodes: Nodes },
  { relation }: Member,
  countsAfter: string,
): Promise<Message> {
  const isPrimary = membership.mode === 'primary'
  const { value: folded } = await FOLDED.read(host.store)
  const { certificate } = relation
  const { counts, next } = await pageOfCounts({ host, membership }, countsAfter)
  return {
    set: relation.set,
    layout: LAYOUT,
    mode: membership.mode,
    history: plainHistory(relation.history),
    max_epoch: relation.max_epoch,
    head: isPrimary ? await headOf(host, relation.history) : (certificate?.index ?? folded?.index ?? 0),
    checkpoint: folded && folded.entry >= folded.soundFrom ? { index: folded.index, root: folded.root } : null,
    certificate: certificate ? { ...certificate } : null,
    addresses: await nodes.addresses(),
    // A clock may tell parts of milliseconds.
    now: Math.floor(host.clock.now()),
    counts,
    counts_next: next,
  }
}

/** Judged by both sides before anything else is. */
export const saidBy = (message: Message) => ({
  set: textOf(message, 'set'),
  address: textOf(message, 'address'),
  api: textOf(message, 'api'),
})
