/** Changes the primary of a secondary, or the addresses of its primary. The secondary keeps its data. */
import { conflict, invalid, KernelError } from '../../../core/base/errors.ts'
import { helloMessage } from '../follow/hello-message.ts'
import { type PrimaryState, readPrimaryState } from '../follow/primary-state.ts'
import { Link, PrimaryRefusedError, publicKeyFromHex } from '../link.ts'
import { roleContention } from '../membership.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import { putSecret } from '../state/set-keys.ts'
import { joinSet, upstreamOf } from './join.ts'
import { keptSuccession } from './succession.ts'

export interface UpdateOptions {
  /**
   * The activation token of the new primary. An empty token detaches the secondary from its primary. Undefined if `addresses` is given
   * instead.
   */
  readonly token: string | undefined
  readonly addresses: readonly string[] | undefined
  /** The address to use instead of the one in the token; empty to use the one in the token. */
  readonly address: string
}

/**
 * @throws KernelError 400 if the cluster is not a secondary, if both a token and addresses are given, if neither is given, if the token is
 * invalid or belongs to another set, or if the addresses belong to another primary; 502 if no primary answers.
 */
export async function updatePrimary(context: ReplicationContext, { token, addresses, address }: UpdateOptions): Promise<void> {
  const { membership, host } = context
  if (membership.mode !== 'secondary') throw conflict('the cluster is not a secondary')
  const hasAddresses = addresses !== undefined && addresses.length > 0
  if (token !== undefined && hasAddresses) throw invalid('token, update_primary_addrs: only one of them may be given')
  if (token === undefined && !hasAddresses) throw invalid('token, update_primary_addrs: one of them is required')
  if (token === undefined) return updateAddresses(context, addresses ?? [])
  if (token === '') {
    context.follower.end()
    const { succession, ops } = keptSuccession(host, await membership.member())
    if (ops.length > 0) await host.store.commit(ops)
    await membership.edit(({ upstream: _, ...rest }): Relation => ({ ...rest, ...succession }))
    return
  }
  await updateByToken(context, token, address)
}

async function updateAddresses(context: ReplicationContext, addresses: readonly string[]): Promise<void> {
  const { host, membership, transport, self } = context
  const { relation, keys } = await membership.member()
  const { upstream } = relation
  if (!upstream) throw conflict(`update_primary_addrs: this secondary has no primary; ${TOKEN_NEEDED}`)
  const link = new Link(host, transport, { id: upstream.id, key: publicKeyFromHex(upstream.key), identity: keys.identity })
  const hello = helloMessage(relation, self)
  let reason: string | undefined
  try {
    for (const address of addresses) {
      const answer = await link.ask([address], hello, host.env.closing).catch((error: unknown) => {
        if (error instanceof PrimaryRefusedError) reason = 'the cluster that answered is not the current primary'
        return undefined
      })
      const primaryState = answer && readPrimaryState(answer, host.clock.now())
      if (!primaryState) continue
      reason = whyNotFollowed(relation, primaryState)
      if (reason !== undefined) continue
      await membership.edit((now) => now.upstream && { ...now, upstream: { ...now.upstream, addresses: [address] } })
      context.follower.end()
      return
    }
  } finally {
    link.end()
  }
  if (reason !== undefined) throw invalid(`update_primary_addrs: ${reason}; ${TOKEN_NEEDED}`)
  throw new KernelError(
    'ERR_UPSTREAM',
    'update_primary_addrs: the primary did not answer at any of these addresses; nothing was changed',
  )
}

const TOKEN_NEEDED = 'use a token of the new primary'

/**
 * Returns the reason why the cluster that answered must not be followed; undefined if it can be. For example, another cluster may have
 * taken over from the known primary.
 */
function whyNotFollowed(relation: Relation, { set, history }: PrimaryState): string | undefined {
  if (set !== relation.set) return 'the primary belongs to another set'
  return lastOf(history).epoch < relation.max_epoch
    ? 'another cluster was promoted to primary after the cluster at this address'
    : undefined
}

/**
 * If this cluster knows a higher epoch than the new primary, lowers `max_epoch` to the epoch of the new primary. The new primary has
 * received the history of this cluster and is still primary, so the higher epoch was begun by a promotion outside of its own history. The
 * operator has decided against that promotion by using a token of the new primary.
 */
function decidedByOperator({ mode, history }: PrimaryState, { max_epoch, used_epoch = 0 }: Relation): Partial<Relation> {
  const { epoch } = lastOf(history)
  return mode === 'primary' && epoch < max_epoch ? { max_epoch: epoch, used_epoch: Math.max(used_epoch, max_epoch) } : {}
}

const MAX_TRIES = 20

async function updateByToken(context: ReplicationContext, token: string, address: string): Promise<void> {
  const { membership, host } = context
  const joined = await joinSet(context, token, address)
  try {
    // Retry the commit instead of failing, because the token has been used and would be refused in another attempt by the caller. A
    // conflict happens, for example, if a former primary records its last position at the same time.
    for (let tries = 1; ; tries++) {
      membership.invalidate()
      const member = await membership.member()
      const { relation, version } = member
      if (membership.mode !== 'secondary') throw conflict('the cluster is not a secondary')
      if (joined.bundle.set !== relation.set)
        throw invalid('token: belongs to another set; enable the secondary again, which clears its data')
      const { certificate: _, ...rest } = relation
      const { succession, ops } = keptSuccession(host, member)
      const next: Relation = {
        ...rest,
        ...succession,
        ...decidedByOperator(joined.primaryState, relation),
        primary_cluster_addr: joined.bundle.address,
        upstream: upstreamOf(joined),
      }
      const secret = joined.identity.copySecretKey()
      const { ok } = await host.store.commit([membership.relationOp(next, version), putSecret(host, 'identity', secret), ...ops])
      secret.fill(0)
      if (ok) break
      if (tries === MAX_TRIES) throw roleContention()
      await host.store.backOff(Math.min(tries, 6))
    }
    context.follower.end()
    membership.forget()
  } finally {
    joined.identity.wipe()
    joined.bundle.set_key.fill(0)
  }
}
