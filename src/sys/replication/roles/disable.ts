/**
 * A cluster leaves its set. What it holds stays.
 */
import { invalid } from '../../../core/base/errors.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import { guardOf } from '../../../core/transaction/writes.ts'
import type { Center } from '../center.ts'
import { roleConflict } from '../membership.ts'
import { SEEN } from '../serve/seen.ts'
import { clearBelow } from '../state/clear-below.ts'
import { FOLDED, FOLLOWING, PEER, RELATION_KEY, secretKey } from '../state/records.ts'

const PEERS = keyOf(PEER, '')

/** @throws KernelError 400 where the cluster is not in this mode. */
export async function disable(center: Center, mode: 'primary' | 'secondary'): Promise<void> {
  const { membership, host } = center
  const { store } = host
  if (membership.mode !== mode) throw invalid(`the cluster is no ${mode}`)
  // Nobody is known to this cluster any more, so those that are connected are cut.
  center.server.end()
  center.follower.end()
  const { version } = await membership.member()
  const { ok } = await store.commit([
    membership.roleOp({ mode: 'disabled', epoch: 0, origin: '' }),
    { op: 'del', key: RELATION_KEY, expect: version },
    ...(['set', 'identity', 'candidate'] as const).map((name) => ({ op: 'del', key: secretKey(name) }) as const),
    { op: 'del', key: FOLDED.key },
    { op: 'del', key: FOLLOWING.key },
  ])
  membership.doubt()
  if (!ok) throw roleConflict()
  for (const prefix of [PEERS, SEEN]) await clearBelow(host, prefix, { also: [{ op: 'del', key: guardOf(PEERS) }] })
  await center.settle()
  host.events.say('replication.mode_changed', { mode: 'disabled' })
}
