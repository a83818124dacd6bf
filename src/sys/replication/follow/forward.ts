/** Forwards writes of a secondary to its primary and waits for the result. */
import { KernelError } from '../../../core/base/errors.ts'
import { Slices } from '../../../core/base/slices.ts'
import type { Values } from '../../../core/field/parse.ts'
import { readOnlyError } from '../../../core/transaction/committer.ts'
import type { EntityRequest, ForwardedCall, ForwardedOutcome, Forwarder } from '../../../core/transaction/forwarding.ts'
import { type LinkMessage, PrimaryAnswerLostError, PrimaryRefusedError } from '../link.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { callMessage, ITEM_MICROSECONDS, nameOf, readRefusal } from '../wire/calls.ts'
import { isForwardable } from '../wire/forwardable.ts'
import { listOf, type Message, objectOf, textsOf } from '../wire/message-members.ts'
import { logIndexIn } from '../wire/read-messages.ts'
import { waitForIndex } from './wait-for-index.ts'

const MAX_WARNINGS = 1000

const MAX_ITEMS = 1_000_000

const NOT_YET_HERE =
  'The write was committed on the primary but has not arrived on this cluster yet; reads here may still return the old state.'

export const forwarderOf = (context: ReplicationContext): Forwarder => ({
  async run(forwarded) {
    const { call, items } = forwarded
    const mount = context.internals.topology.mounts.byId(call.mount.uuid)
    const name = mount && nameOf(mount.engine, forwarded.operation)
    if (name === undefined || !isForwardable(forwarded.operation) || !(await mayForward(context, forwarded)))
      throw readOnlyError()
    const message = await callMessage(name, forwarded, new Slices(context.host.clock))
    const answer = await whileFollowing(context, () => ask(context, message, true))
    if ('refusal' in answer) throw readRefusal(answer)
    const warnings = textsOf(answer, 'warnings', MAX_WARNINGS)
    const arrived = await waitForIndex(context, logIndexIn(answer, 'index', context.host.clock.now()))
    const outcome: ForwardedOutcome = {
      value: items ? await itemsOf(context, answer) : answer['value'],
      warnings: arrived ? warnings : [...warnings, NOT_YET_HERE],
    }
    return outcome
  },
  async requestEntity(wish: EntityRequest) {
    const answer = await ask(context, { kind: 'entity', ...wish }, false)
    if (!(await waitForIndex(context, logIndexIn(answer, 'index', context.host.clock.now()))))
      throw new KernelError(
        'ERR_UNAVAILABLE',
        'the entity for this login was created on the primary but has not arrived on this cluster yet: log in again',
      )
  },
})

/** Writes by the application are forwarded only if the token of this secondary was created with `forward: app`. */
async function mayForward({ membership }: ReplicationContext, { call }: ForwardedCall): Promise<boolean> {
  const { upstream } = (await membership.member()).relation
  if (call.caller.kind !== 'token' && upstream?.forward !== 'app') return false
  if (!upstream)
    throw new KernelError(
      'ERR_UNAVAILABLE',
      'the data is replicated, and this cluster has no primary that could write it; assign one with update-primary',
    )
  return true
}

/** Sends a request to the primary. @throws KernelError 503 if no primary answers, or if the answer was lost. */
async function ask({ follower, host }: ReplicationContext, message: Message, once: boolean): Promise<LinkMessage> {
  try {
    return await follower.ask(message, host.env.closing, once)
  } catch (cause) {
    if (cause instanceof PrimaryAnswerLostError) throw cause
    if (cause instanceof PrimaryRefusedError) throw refusalOf(cause)
    if (cause instanceof KernelError && cause.code !== 'ERR_UPSTREAM') throw cause
    throw new KernelError('ERR_UNAVAILABLE', 'the primary cannot be reached: nothing was written', { cause })
  }
}

function refusalOf({ code, message }: PrimaryRefusedError): KernelError {
  if (code === 'ERR_READ_ONLY') return readOnlyError()
  if (code === 'ERR_REQUEST_TOO_LARGE')
    return new KernelError(
      code,
      'the primary ran the request, but its answer is too long for a message between clusters: use smaller requests',
    )
  return new KernelError('ERR_UNAVAILABLE', `the primary failed to answer the write: ${message}`)
}

const FOLLOW_INTERVAL_MS = 50

/**
 * Applies the primary's records while `work` waits for the answer to a write. The primary possibly answers only after this cluster has stored
 * the write.
 */
async function whileFollowing<T>(context: ReplicationContext, work: () => Promise<T>): Promise<T> {
  const { follower, host } = context
  if (!follower.lastHello?.primaryState.acknowledge) return work()
  const controller = new AbortController()
  const follow = async (): Promise<void> => {
    for (;;) {
      await host.clock.sleep(FOLLOW_INTERVAL_MS, controller.signal)
      // Ignore the error here: `lastError` in the replication status shows it.
      await context.inTurn(() => follower.follow(host.env.closing)).catch(() => {})
    }
  }
  void follow().catch(() => {})
  try {
    return await work()
  } finally {
    controller.abort()
  }
}

async function itemsOf({ host }: ReplicationContext, answer: LinkMessage): Promise<readonly (Values | Error)[]> {
  const slices = new Slices(host.clock)
  const results: (Values | Error)[] = []
  for (const item of listOf(answer, 'value', MAX_ITEMS)) {
    const one = objectOf(item, 'value')
    results.push('refusal' in one ? readRefusal(one) : (one['value'] as Values))
    if (slices.spend(ITEM_MICROSECONDS)) await slices.giveWay()
  }
  return results
}
