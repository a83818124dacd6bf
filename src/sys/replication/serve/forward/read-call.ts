/**
 * Reads a forwarded call from the message of a secondary, which is not trusted.
 *
 * Policies decide about a path, its captures and a verb. These are derived from the operation and its input, never read from the message,
 * so a secondary cannot name others.
 */
import { invalid, KernelError } from '../../../../core/base/errors.ts'
import { Slices } from '../../../../core/base/slices.ts'
import { checkSegments, segmentsOf } from '../../../../core/contract/captures.ts'
import { isLocal } from '../../../../core/contract/mount-record.ts'
import type { NamespaceRecord } from '../../../../core/contract/namespace.ts'
import type { AnyBatch, AnyOperation } from '../../../../core/contract/operation.ts'
import { sentLate, typedTable, type Values } from '../../../../core/field/parse.ts'
import { parseAgain } from '../../../../core/field/parse-again.ts'
import type { Mount } from '../../../../core/mount/mount.ts'
import type { AuthorizationRequest } from '../../../../core/request/admission.ts'
import { type TypedForm, typedAuthorizationRequest } from '../../../../core/request/typed-authorization.ts'
import { batchForm, itemForm, singleForm } from '../../../../core/request/typed-form.ts'
import type { BatchItems } from '../../../../core/transaction/batch.ts'
import type { SecondaryScope } from '../../filters/secondary-scopes.ts'
import type { ReplicationContext } from '../../replication-context.ts'
import { recordDomain } from '../../state/domain.ts'
import { ITEM_MICROSECONDS, readCaller, readRefusal, type SentCaller, sentItem } from '../../wire/calls.ts'
import { isForwardable } from '../../wire/forwardable.ts'
import { listOf, type Message, objectOf, stringMember, textsOf } from '../../wire/message-members.ts'
import { notForwarded } from './record-limits.ts'

const MAX_ITEMS = 1_000_000

const MAX_MEMBERS = 100

const MAX_WRAP_TTL = Number.MAX_SAFE_INTEGER

/** A forwarded call that passed the checks of this file. The primary's policies have not been evaluated yet. */
export interface ReadCall {
  readonly operation: AnyOperation
  readonly mount: Mount
  readonly namespace: NamespaceRecord
  readonly input: Values
  readonly item?: Values
  readonly items?: BatchItems
  /** The caller on the secondary; undefined if the secondary's application made the call. */
  readonly caller: SentCaller | undefined
  readonly ask: AuthorizationRequest
  readonly form: TypedForm<never>
  /** The parameters of the request, as an audit entry records them. */
  readonly parameters: Values
}

/**
 * @throws KernelError 404 if the secondary does not have the mount or its namespace; 400 if the operation is not forwardable or its input
 * is invalid; 403 if the secondary does not have the mount or namespace of the caller.
 */
export async function readCall(context: ReplicationContext, scope: SecondaryScope, message: Message): Promise<ReadCall> {
  const { mount, namespace } = placeOf(context, scope, message)
  await mount.engine.load?.()
  const operation = operationOf(mount, stringMember(message, 'operation'))
  const slices = new Slices(context.host.clock)
  const input = await slices.drive(parseAgain(operation.fields, objectOf(message['input'], 'input')))
  checkSegments(segmentsOf(operation), input)
  const caller = callerOf(context, scope, message)
  const base = { operation, mount, namespace, input, caller }
  const asked = caller ? objectOf(message['asked'], 'asked') : {}
  if (!operation.batch) {
    const form = singleForm(operation)
    const ready = await slices.drive(sentLate(typedTable(operation.fields), input))
    const sent: typeof form = { ...form, sent: (given, captures) => form.sent(given, captures, ready) }
    return { ...base, ask: askFor(sent, base, input, message, asked), form: sent, parameters: input }
  }
  if (message['item'] !== undefined) {
    const item = await slices.drive(parseAgain(operation.item, objectOf(message['item'], 'item')))
    const form = itemForm(operation)
    const parameters = { ...item, ...input }
    return { ...base, item, ask: askFor(form, base, parameters, message, asked), form, parameters }
  }
  const items = await itemsOf(operation, message, slices)
  const form = batchForm(operation)
  const whole = { ...input, batch_input: items.raw }
  return { ...base, items, ask: askFor(form, base, whole, message, asked), form, parameters: whole }
}

/** @throws KernelError 404 if the mount or namespace is hidden, local, being removed or missing. The error is the same in each case. */
function placeOf(
  { internals }: ReplicationContext,
  scope: SecondaryScope,
  message: Message,
): { mount: Mount; namespace: NamespaceRecord } {
  const [uuid, space] = [stringMember(message, 'mount'), stringMember(message, 'namespace')]
  const { topology } = internals
  const namespace = scope.includes(recordDomain(space)) ? topology.namespaces.byUuid(space) : undefined
  if (!namespace) throw new KernelError('ERR_UNSUPPORTED_PATH', 'the namespace does not exist any more')
  const mount = scope.includes(uuid) ? topology.mounts.byId(uuid) : undefined
  if (!mount || isLocal(mount.record) || mount.record.namespace !== namespace.uuid)
    throw new KernelError('ERR_UNSUPPORTED_PATH', 'the mount does not exist any more')
  return { mount, namespace }
}

/** @throws KernelError 400 if the operation is missing or not forwardable. The error is the same in both cases. */
function operationOf({ engine: { operations } }: Mount, name: string): AnyOperation {
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
  if (!operation || !isForwardable(operation)) throw notForwarded()
  return operation
}

/** @throws KernelError 403 if the caller's mount or namespace is missing or hidden from the secondary. */
function callerOf({ internals }: ReplicationContext, scope: SecondaryScope, message: Message): SentCaller | undefined {
  const caller = readCaller(message)
  if (!caller) return undefined
  const { mounts, namespaces } = internals.topology
  const isKnown = namespaces.byUuid(caller.namespace) !== undefined && mounts.byId(caller.mount) !== undefined
  if (isKnown && scope.includes(caller.namespace) && scope.includes(caller.mount)) return caller
  throw new KernelError('ERR_PERMISSION_DENIED', 'permission denied')
}

function askFor<T>(
  form: TypedForm<T>,
  { namespace, mount }: Pick<ReadCall, 'namespace' | 'mount'>,
  input: Values,
  message: Message,
  asked: Message,
): AuthorizationRequest {
  const remoteAddress = stringMember(message, 'remote_address', 256) || undefined
  const ask = typedAuthorizationRequest(form, input, namespace, mount, remoteAddress, undefined)
  const wrapTtl = asked['wrapTtl'] ?? 0
  if (typeof wrapTtl !== 'number' || !(wrapTtl >= 0 && wrapTtl <= MAX_WRAP_TTL)) throw invalid('wrapTtl: must be a duration')
  const parameters = asked['parameters'] === undefined ? undefined : (objectOf(asked['parameters'], 'parameters') as Values)
  return {
    ...ask,
    trailingSlash: asked['trailingSlash'] === true,
    wrapTtl,
    ...(parameters && { parameters: () => parameters }),
  }
}

async function itemsOf(operation: AnyBatch, message: Message, slices: Slices): Promise<BatchItems> {
  const sent = listOf(message, 'items', MAX_ITEMS)
  if (sent.length === 0) throw invalid('batch_input: must contain at least one item')
  const all: (Values | Error)[] = []
  const raw: Values[] = []
  for (const entry of sent) {
    const one = objectOf(entry, 'items')
    const given = textsOf(one, 'given', MAX_MEMBERS).filter((name) => Object.hasOwn(operation.item, name))
    const item = 'refusal' in one ? readRefusal(one) : await parsed(operation, objectOf(one['value'], 'items'), slices)
    all.push(item)
    raw.push(sentItem(item instanceof Error ? {} : item, given))
    if (slices.spend(ITEM_MICROSECONDS)) await slices.giveWay()
  }
  return { all, raw }
}

/** Parses an item. A short item is parsed without a promise, and nearly all items are short. */
function parsed(operation: AnyBatch, value: Values, slices: Slices): Values | Promise<Values> {
  const steps = parseAgain(operation.item, value)
  const first = steps.next()
  return first.done ? first.value : slices.drive(steps, first)
}
