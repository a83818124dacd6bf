/**
 * Runs writes for a secondary. The secondary is not trusted: it can send any message, and it can be revoked at any time.
 *
 * The primary runs a forwarded operation only if the operation is declared forwardable, its mount is visible to the secondary, and the
 * primary's own policies allow the call. The primary records each operation in its audit log, together with the id of the secondary.
 */
import type { AnswerToAudit } from '../../../core/audit/answer-text.ts'
import { KernelError } from '../../../core/base/errors.ts'
import { Slices } from '../../../core/base/slices.ts'
import { APP } from '../../../core/contract/caller.ts'
import type { Call, Tx } from '../../../core/contract/tx.ts'
import type { Values } from '../../../core/field/parse.ts'
import { type AdmittedCaller, callOf } from '../../../core/request/admission.ts'
import type { OperationOutcome } from '../../../core/transaction/runner.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { ITEM_MICROSECONDS, refusalMessage, type SentCaller, tokenFor } from '../wire/calls.ts'
import type { Message } from '../wire/message-members.ts'
import { ForwardedAudit } from './forward/audit.ts'
import { type ReadCall, readCall } from './forward/read-call.ts'
import { limitRun } from './forward/record-limits.ts'
import { headOf } from './hello.ts'

/** Runs a forwarded write. Returns its result and an index up to which the log includes the write, or returns the refusal. */
export async function runForwarded(context: ReplicationContext, message: Message, peer: string): Promise<Message> {
  const { membership, host, internals } = context
  if (membership.mode !== 'primary') throw new KernelError('ERR_UNAVAILABLE', 'this cluster is not a primary')
  await internals.topology.fresh()
  await internals.audit.fresh()
  const audit = new ForwardedAudit(context, message, peer)
  try {
    const { outcome } = await audit.around(() => run(context, message, peer, audit), answerOf)
    const { relation } = await membership.member()
    const value = Array.isArray(outcome.value) ? await itemMessages(context, outcome.value) : outcome.value
    return { value, warnings: outcome.warnings ?? [], index: await headOf(host, relation.history) }
  } catch (error) {
    if (error instanceof KernelError || error instanceof TypeError) return refusalMessage(error)
    throw error
  }
}

interface Ran {
  readonly read: ReadCall
  readonly outcome: OperationOutcome<unknown>
}

async function run(context: ReplicationContext, message: Message, peer: string, audit: ForwardedAudit): Promise<Ran> {
  const read = await readCall(context, await context.scopes.of(peer), message)
  const { ask, form, operation, mount, input, item, items, parameters } = read
  audit.leadsTo({ ...ask, mount, data: form.sent(parameters, ask.captures) })
  const admitted = await admit(context, read, peer, audit)
  await audit.ask(admitted.caller)
  const recheck = recheckFor(context, peer, admitted)
  const byPath = message['by_path'] === true || undefined
  const call: Call = { ...callOf(ask, mount, admitted), recheck, byPath }
  const outcome = await mount.executor.runForwarded({
    operation,
    call,
    input,
    ...(item && { item }),
    ...(items && { items }),
  })
  // The commit was allowed, but the scope may have changed since. Send the answer only if the secondary still has the mount.
  if (!(await context.scopes.of(peer)).includes(mount.record.uuid)) throw withheld()
  return { read, outcome }
}

/**
 * Returns the checks that are repeated in every run of the transaction, so that the commit fails if the secondary or its filter has
 * changed.
 */
const recheckFor =
  (context: ReplicationContext, peer: string, { recheck }: AdmittedCaller): Call['recheck'] =>
  (tx: Tx) => {
    limitRun(tx, context, peer)
    recheck?.(tx)
  }

/**
 * @throws KernelError 403 if the primary's own policies do not allow the call; 400 if the secondary's application made the call and the
 * primary does not accept such calls from this secondary.
 */
async function admit(
  context: ReplicationContext,
  { ask, caller }: ReadCall,
  peer: string,
  { record }: ForwardedAudit,
): Promise<AdmittedCaller> {
  if (!caller) {
    if (context.server.peers.peer(peer)?.forward !== 'app') throw onlyTokens()
    return { caller: APP, sudo: true, recheck: undefined, after: undefined }
  }
  const found = await describe(context, caller)
  if (record) record.caller = found
  return context.internals.admission.admit({ ...ask, record }, found)
}

async function describe({ internals }: ReplicationContext, sent: SentCaller) {
  const { core, authority, call } = internals
  return core.read((tx) => authority.describe(tx, '', tokenFor(sent, tx.now)), call)
}

const withheld = (): KernelError =>
  new KernelError(
    'ERR_UNAVAILABLE',
    'the write was committed, but its answer is withheld because a path filter has hidden the mount from this cluster since',
  )

const onlyTokens = (): KernelError =>
  new KernelError('ERR_READ_ONLY', 'cannot write to readonly storage: for this secondary, only writes with a token are forwarded')

/** Returns the answer in the format of the audit log. */
function answerOf({ read, outcome }: Ran): AnswerToAudit {
  const { value } = outcome
  if (!Array.isArray(value)) return read.form.answer(outcome as never, read.parameters)
  const batch_results = (value as readonly (Values | Error)[]).map((one) => (one instanceof Error ? { error: one } : one))
  return read.form.answer({ ...outcome, value: { batch_results } } as never, read.parameters)
}

async function itemMessages({ host }: ReplicationContext, results: readonly (Values | Error)[]): Promise<readonly Message[]> {
  const slices = new Slices(host.clock)
  const messages: Message[] = []
  for (const one of results) {
    messages.push(one instanceof Error ? refusalMessage(one) : { value: one })
    if (slices.spend(ITEM_MICROSECONDS)) await slices.giveWay()
  }
  return messages
}
