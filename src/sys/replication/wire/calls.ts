/**
 * Encodes and decodes messages for forwarded calls. A message identifies the operation by its mount and its name in the engine of the
 * mount.
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
import { type BatchItems, hasValue } from '../../../core/transaction/batch.ts'
import type { ForwardedCall } from '../../../core/transaction/forwarding.ts'
import { type Message, objectOf, stringMember, textsOf } from './message-members.ts'

/**
 * The caller of a forwarded call. The message contains only the names of the caller's policies. The primary applies its own policies with
 * these names.
 */
export interface SentCaller {
  readonly policies: readonly string[]
  readonly namespace: string
  /** The UUID of the mount of the auth method that created the token. */
  readonly mount: string
  readonly entity: string
  readonly display_name: string
}

const MAX_POLICIES = 10_000

/** The estimated cost of converting one batch item to or from a message. */
export const ITEM_MICROSECONDS = 3

/** Returns the operation's name in this engine; undefined if the engine does not have this operation. */
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

/**
 * Returns the parts of the request that policies can depend on. Omits the parameters if they are long, because the primary can compute them
 * from `input`.
 */
function askedMessage({ trailingSlash, wrapTtl, parameters }: PolicyRequest): Message {
  const sent = parameters()
  return { trailingSlash, wrapTtl, ...(isSmall(sent) && { parameters: sent }) }
}

/**
 * Returns a message for each batch item. It contains the names of the members that the caller sent, and either the values or the refusal of
 * the item.
 */
async function itemMessages({ item }: AnyBatch, { all, raw }: BatchItems, slices: Slices): Promise<readonly Message[]> {
  const names = Object.keys(item)
  const messages: Message[] = []
  for (const [index, one] of all.entries()) {
    const given = names.filter((name) => hasValue(raw[index], name))
    messages.push({ given, ...(one instanceof Error ? refusalMessage(one) : { value: sentInput(item, one) }) })
    if (slices.spend(ITEM_MICROSECONDS)) await slices.giveWay()
  }
  return messages
}

/** Returns the caller for the message; null if the caller is the application. */
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
    namespace: stringMember(caller, 'namespace'),
    mount: stringMember(caller, 'mount'),
    entity: stringMember(caller, 'entity'),
    display_name: stringMember(caller, 'display_name', 65_536),
  }
}

/**
 * Creates a token record for a caller on a secondary. Only the members on which policies depend have the caller's values. The other members
 * do not matter, because the secondary has already validated the token.
 */
export const tokenFor = ({ policies, namespace, mount, entity, display_name }: SentCaller, now: number): TokenRecord => ({
  ...rootRecord('', '', mount, now),
  type: 'batch',
  policies,
  namespace,
  entity,
  display_name,
})

/** Encodes the refusal of a call or of a batch item. */
export function refusalMessage(error: Error): Message {
  if (!(error instanceof KernelError)) return { refusal: { code: '', message: error.message } }
  const { code, message, status, details, shown } = error
  return { refusal: { code, message, status, details, ...(shown ? { shown } : {}) } }
}

export function readRefusal(item: Message): Error {
  const refusal = objectOf(item['refusal'], 'refusal')
  const code = stringMember(refusal, 'code')
  const message = stringMember(refusal, 'message', 65_536)
  if (code === '') return new TypeError(message)
  const status = refusal['status']
  const shown = refusal['shown'] as { readonly data: Readonly<Record<string, unknown>> | undefined } | undefined
  return new KernelError(codeIn(code), message, {
    details: detailsIn(refusal['details']),
    ...(isErrorStatus(status) && { status }),
    ...(shown && { shown }),
  })
}

/**
 * Whether a status from a message is a status of an error. An invalid status would make the HTTP server throw, and a status below 400 would
 * make a refusal look like a success.
 */
const isErrorStatus = (status: unknown): status is number =>
  Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599

/** Returns only the details that are strings, numbers or booleans, because `KernelError` allows no other types. */
const detailsIn = (details: unknown): KernelError['details'] =>
  Object.fromEntries(Object.entries(details ?? {}).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value)))

/**
 * Returns the error code from a message. A cluster with a newer release can send a code that this release does not have; it is replaced.
 */
const codeIn = (code: string): ErrorCode => (isErrorCode(code) ? code : 'ERR_UPSTREAM')

/**
 * Returns the members of a forwarded batch item that the caller sent, for the audit log. A sent member without a value is recorded as
 * `true`.
 */
export const sentItem = (value: Values, given: readonly string[]): Values =>
  Object.fromEntries(given.map((name) => [name, value[name] ?? true]))
