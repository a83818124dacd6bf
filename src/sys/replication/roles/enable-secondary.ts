/** Makes this cluster a secondary: deletes its data, so that the data of the primary replaces it. */
import { conflict } from '../../../core/base/errors.ts'
import { roleContention } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import { newName, type Relation } from '../state/records.ts'
import { DR } from '../state/replication-kind.ts'
import { finishJoining, joiningOps } from './finish-joining.ts'
import { type JoinResult, joinSet, upstreamOf } from './join.ts'

/**
 * @throws KernelError 400 if the token is invalid or replication is not disabled; 502 if the primary does not answer. In these cases
 * nothing has changed.
 */
export async function enableSecondary(context: ReplicationContext, token: string, address: string): Promise<void> {
  await context.host.store.commits.loadRole()
  assertDisabled(context)
  const joined = await joinSet(context, token, address)
  try {
    await beginJoining(context, joined)
  } finally {
    joined.identity.wipe()
    joined.bundle.set_key.fill(0)
  }
  await finishJoining(context)
}

function assertDisabled({ membership, host, otherKind }: ReplicationContext): void {
  if (membership.mode !== 'disabled') throw conflict(`the cluster is already a ${membership.mode}`)
  const { mode } = otherKind.membership
  // A DR secondary takes over the performance role of its primary, so it must not have a performance role of its own: if it were a
  // performance primary, its secondaries would copy the new data.
  if (host.kind === DR && mode !== 'disabled')
    throw conflict(`performance replication: the cluster is a ${mode}; disable performance replication first`)
}

const MAX_TRIES = 20

/** Commits the role `bootstrapping`. From this commit on, the former data of the cluster can no longer be served or changed. */
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
    // Retry the commit instead of failing, because the token has been used and would be refused in another attempt by the caller.
    for (let tries = 1; ; tries++) {
      // Check again, because another kernel may have changed the role. The commit fails if the role changes after this check.
      assertDisabled(context)
      const { ok } = await host.store.commit([
        // Joining deletes the counters of key uses, so reset the number of gaps in their counts to 0.
        membership.roleOp({ mode: 'bootstrapping', epoch: 0, origin: '' }, 0),
        ...joiningOps(host, relation, { setKey: bundle.set_key, identity: secret, bootstrapNames: joined.bootstrapNames }),
      ])
      if (ok) return
      if (tries === MAX_TRIES) throw roleContention()
      await host.store.backOff(Math.min(tries, 6))
    }
  } finally {
    secret.fill(0)
  }
}
