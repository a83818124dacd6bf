/**
 * A cluster becomes a secondary: what it held goes, and what its primary holds comes.
 */
import { invalid } from '../../../core/base/errors.ts'
import type { Center } from '../center.ts'
import { roleConflict } from '../membership.ts'
import { DR } from '../state/kind.ts'
import { newName, type Relation } from '../state/records.ts'
import { joiningOps, resumeJoining } from './finish-joining.ts'
import { type Joined, join, upstreamOf } from './join.ts'

/** @throws KernelError 400 for a token that activates nothing and for another mode, 502 where nobody answers: nothing has changed then. */
export async function enableSecondary(center: Center, token: string, address: string): Promise<void> {
  const { membership, host } = center
  await host.store.commits.loadRole()
  if (membership.mode !== 'disabled') throw invalid(`the cluster is a ${membership.mode} already`)
  // What it holds would be somebody else's, and whoever follows it would follow that.
  const { mode } = center.beside.membership
  if (host.kind === DR && mode !== 'disabled')
    throw invalid(`performance replication: the cluster is a ${mode} there; disable that first`)
  const joined = await join(center, token, address)
  try {
    await begin(center, joined)
  } finally {
    joined.identity.wipe()
    joined.bundle.set_key.fill(0)
  }
  await resumeJoining(center)
}

/** From this commit on nothing of what the cluster holds is served or written. */
async function begin({ membership, host }: Center, joined: Joined): Promise<void> {
  const { bundle } = joined
  const secret = joined.identity.copySecretKey()
  const relation: Relation = {
    set: bundle.set,
    history: bundle.history,
    name: newName(host),
    max_epoch: bundle.max_epoch,
    primary_cluster_addr: bundle.address,
    upstream: upstreamOf(joined),
    mode: 'secondary',
  }
  const ops = [
    // Counters go with what is cleared, and what they had to make up for.
    membership.roleOp({ mode: 'bootstrapping', epoch: 0, origin: '' }, 0),
    ...joiningOps(host, relation, bundle.set_key, secret),
  ]
  secret.fill(0)
  const { ok } = await host.store.commit(ops)
  if (!ok) throw roleConflict()
}
