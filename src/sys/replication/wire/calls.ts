/**
 * Calls of operations as messages: named by the mount and the operation's name there.
 */
import { rootRecord } from '../../../core/access/token/root-token.ts'
import { type ErrorCode, isErrorCode, KernelError } from '../../../core/base/errors.ts'
import type { Slices } from '../../../core/base/slices.ts'
import type { Engine } from '../../../core/contract/engine.ts'
import type { AnyBatch, AnyOperation } from '../../../core/contract/operation.ts'
import type { TokenRecord } from '../../../core/contract/token-record.ts'
import type { Call, PolicyRequest } from '../../../core/contract/tx.ts'
import type { Values } from '../../../core/field/parse.ts'
import { sentInput } from '../../../core/field/sent-input.ts'
import { isSmall } from '../../../core/json/json-size.ts'
import { type BatchItems, gives } from '../../../core/transaction/batch.ts'
import type { ForwardedCall } from '../../../core/transaction/forwarding.ts'
import { type Message, objectOf, textOf, textsOf } from './message-members.ts'

/** The caller of a forwarded call: names, whose meaning is that of the primary's own records. */
export interface SentCaller {
  readonly policies: readonly string[]
  readonly namespace: string
  /** UUID of the auth method's mount. */
  readonly mount: string
  readonly entity: string
  readonly display_name: string
}

const MAX_POLICIES = 10_000

/** Estimated cost of turning one item of a batch into a message, or back. */
export const ITEM_MICROSECONDS = 3

/** Undefined for an operation that its engine does not have under any name. */
export const nameOf = ({ operations }: Engine, operation: AnyOperation): string | undefined =>
  Object.entries(operations).find(([, one]) => one === operation)?.[0]

export async function callMessage(name: string, forwarded: ForwardedCall, slices: Slices): Promise<Message> {
  const { operation, call, input, item, items } = forwarded
  return {
    kind: 'forward',
    operation: name,
    mount: call.mount.uuid,
    namespace: call.namespace.uuid,
    path: call.path,
    remote_address: call.remoteAddress ?? '',
    by_path: call.byPath === true,
    caller: callerOf(call),
    asked: call.policyRequest ? askedMessage(call.policyRequest) : null,
    input: sentInput(operation.fields, input),
    ...(item && operation.batch && { item: sentInput(operation.item, item) }),
    ...(items && operation.batch && { items: await itemMessages(operation, items, slices) }),
  }
}

/** Parameters that are long are not sent beside the input: the primary takes them from that. */
function askedMessage({ trailingSlash, wrapTtl, parameters }: PolicyRequest): Message {
  const sent = parameters()
  return { trailingSlash, wrapTtl, ...(isSmall(sent) && { parameters: sent }) }
}

/** Each item, or its refusal, with the names of the members that were sent for it. */
async function itemMessages({ item }: AnyBatch, { all, raw }: BatchItems, slices: Slices): Promise<readonly Message[]> {
  const names = Object.keys(item)
  const messages: Message[] = []
  for (const [index, one] of all.entries()) {
    const given = names.filter((name) => gives(raw[index], name))
    messages.push({ given, ...(one instanceof Error ? refusalOf(one) : { value: sentInput(item, one) }) })
    if (slices.spend(ITEM_MICROSECONDS)) await slices.giveWay()
  }
  return messages
}

/** Null for the application. */
function callerOf({ caller }: Call): SentCaller | null {
  if (caller.kind !== 'token') return null
  const { token, namespace, identityPolicies } = caller
  const policies = [...new Set([...token.policies, ...identityPolicies])]
  return { policies, namespace: namespace.uuid, mount: token.mount, entity: token.entity, display_name: token.display_name }
}

export function readCaller(message: Message): SentCaller | undefined {
  if (message['caller'] === null) return undefined
  const caller = objectOf(message['caller'], 'caller')
  return {
    policies: textsOf(caller, 'policies', MAX_POLICIES),
    namespace: textOf(caller, 'namespace'),
    mount: textOf(caller, 'mount'),
    entity: textOf(caller, 'entity'),
    display_name: textOf(caller, 'display_name', 65_536),
  }
}

/** A token with only what policies depend on. The secondary has validated the token itself. */
export const tokenFor = ({ policies, namespace, mount, entity, display_name }: SentCaller, now: number): TokenRecord => ({
  ...rootRecord('', '', mount, now),
  type: 'batch',
  policies,
  namespace,
  entity,
  display_name,
})

/** A refusal as an answer, or of an item of a batch. */
export function refusalOf(error: Error): Message {
  if (!(error instanceof KernelError)) return { refusal: { code: '', message: error.message } }
  const { code, message, status, details, shown } = error
  return { refusal: { code, message, status, details, ...(shown ? { shown } : {}) } }
}

export function readRefusal(item: Message): Error {
  const refusal = objectOf(item['refusal'], 'refusal')
  const code = textOf(refusal, 'code')
  const message = textOf(refusal, 'message', 65_536)
  if (code === '') return new TypeError(message)
  const status = refusal['status']
  const shown = refusal['shown'] as { readonly data: Readonly<Record<string, unknown>> | undefined } | undefined
  return new KernelError(codeIn(code), message, {
    details: detailsIn(refusal['details']),
    ...(isErrorStatus(status) && { status }),
    ...(shown && { shown }),
  })
}

/** HTTP servers throw for numbers that are no status, and a refusal must not look like a success. */
const isErrorStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599

/** Drops every member that is not a name, limit or version. */
const detailsIn = (details: unknown): KernelError['details'] =>
  Object.fromEntries(Object.entries(details ?? {}).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)))

/** A newer release may have codes that this one lacks. */
const codeIn = (code: string): ErrorCode => (isErrorCode(code) ? code : 'ERR_UPSTREAM')

/** The items of a batch that is run for another cluster. Each stands for what was sent of it, too. */
export const sentItem = (value: Values, given: readonly string[]): Values =>
  Object.fromEntries(given.map((name) => [name, value[name] ?? true]))
