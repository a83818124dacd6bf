/**
 * A cluster becomes a secondary: what it held goes, and what its primary holds comes.
 */
import { conflict } from '../../../core/base/errors.ts'
import { roleContention } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import { newName, type Relation } from '../state/records.ts'
import { DR } from '../state/replication-kind.ts'
import { finishJoining, joiningOps } from './finish-joining.ts'
import { type JoinResult, join, upstreamOf } from './join.ts'

/** @throws KernelError 400 for a token that activates nothing and for another mode, 502 where nobody answers: nothing has changed then. */
export async function enableSecondary(context: ReplicationContext, token: string, address: string): Promise<void> {
  await context.host.store.commits.loadRole()
  assertDisabled(context)
  const joined = await join(context, token, address)
  try {
    await beginJoining(context, joined)
  } finally {
    joined.identity.wipe()
    joined.bundle.set_key.fill(0)
  }
  await finishJoining(context)
}

function assertDisabled({ membership, host, otherKind }: ReplicationContext): void {
  if (membership.mode !== 'disabled') throw conflict(`the cluster is a ${membership.mode} already`)
  const { mode } = otherKind.membership
  // What it holds would be somebody else's, and whoever follows it would follow that.
  if (host.kind === DR && mode !== 'disabled')
    throw conflict(`performance replication: the cluster is a ${mode} there; disable that first`)
}

const MAX_TRIES = 20

/** From this commit on nothing of what the cluster holds is served or written. */
async function beginJoining(context: ReplicationContext, joined: JoinResult): Promise<void> {
  const { membership, host } = context
  const { bundle } = joined
  const secret = joined.identity.copySecretKey()
  const relation: Relation = {
    set: bundle.set,
    history: bundle.history,
    name: newName(host),
    max_epoch: lastOf(bundle.history).epoch,
    primary_cluster_addr: bundle.address,
    upstream: upstreamOf(joined),
    mode: 'secondary',
  }
  try {
    // The token is used: whoever began anew with it would be refused.
    for (let tries = 1; ; tries++) {
      // Another kernel may have changed it; the commit rests on what is known now.
      assertDisabled(context)
      const { ok } = await host.store.commit([
        // Counters go with what is cleared, and what they had to make up for.
        membership.roleOp({ mode: 'bootstrapping', epoch: 0, origin: '' }, 0),
        ...joiningOps(host, relation, { setKey: bundle.set_key, identity: secret, standIns: joined.bootstrapNames }),
      ])
      if (ok) return
      if (tries === MAX_TRIES) throw roleContention()
      await host.store.backOff(Math.min(tries, 6))
    }
  } finally {
    secret.fill(0)
  }
}
