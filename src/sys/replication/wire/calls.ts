/**
 * Calls of operations as messages: named by the mount and the operation's name there.
 */
import { rootRecord } from '../../../core/access/token/root-token.ts'
import { type ErrorCode, KernelError } from '../../../core/base/errors.ts'
import type { Engine } from '../../../core/contract/engine.ts'
import type { AnyOperation } from '../../../core/contract/operation.ts'
import type { TokenRecord } from '../../../core/contract/token-record.ts'
import type { Call, Requested } from '../../../core/contract/tx.ts'
import type { ForwardedCall } from '../../../core/transaction/forwarding.ts'
import { type Message, objectOf, textOf, textsOf } from './judged.ts'

/** What crosses of a caller: names, which the primary judges by its own records. */
export interface SentCaller {
  readonly policies: readonly string[]
  readonly namespace: string
  /** UUID of the auth method's mount. */
  readonly mount: string
  readonly entity: string
  readonly display_name: string
}

const MOST_POLICIES = 10_000

/** Undefined for an operation that its engine does not have under any name. */
export const nameOf = ({ operations }: Engine, operation: AnyOperation): string | undefined =>
  Object.entries(operations).find(([, one]) => one === operation)?.[0]

export const callMessage = (name: string, { call, input, item, items }: ForwardedCall): Message => ({
  kind: 'forward',
  operation: name,
  mount: call.mount.uuid,
  namespace: call.namespace.uuid,
  path: call.path,
  remote_address: call.remoteAddress ?? '',
  caller: callerOf(call),
  asked: call.asked ? askedMessage(call.asked) : null,
  input,
  ...(item && { item }),
  ...(items && { all: items.all.map((one) => (one instanceof Error ? refusalOf(one) : { value: one })), raw: items.raw }),
})

const askedMessage = ({ verb, trailingSlash, captures, wrapTtl, parameters }: Requested): Message => ({
  verb,
  trailingSlash,
  captures,
  wrapTtl,
  parameters: parameters(),
})

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
    policies: textsOf(caller, 'policies', MOST_POLICIES),
    namespace: textOf(caller, 'namespace'),
    mount: textOf(caller, 'mount'),
    entity: textOf(caller, 'entity'),
    display_name: textOf(caller, 'display_name', 65_536),
  }
}

/** A token with nothing but what policies look at. It was judged where it is known. */
export const tokenFor = ({ policies, namespace, mount, entity, display_name }: SentCaller, now: number): TokenRecord => ({
  ...rootRecord('', '', mount, now),
  type: 'batch',
  policies,
  namespace,
  entity,
  display_name,
})

/** A refusal on its way back, or of an item of a batch. */
export function refusalOf(error: Error): Message {
  if (!(error instanceof KernelError)) return { refusal: { code: '', message: error.message } }
  const { code, message, details, shown } = error
  return { refusal: { code, message, details, ...(shown ? { shown } : {}) } }
}

export function readRefusal(item: Message): Error {
  const refusal = objectOf(item['refusal'], 'refusal')
  const code = textOf(refusal, 'code')
  const message = textOf(refusal, 'message', 65_536)
  if (code === '') return new TypeError(message)
  const details = refusal['details'] as Readonly<Record<string, string | number | boolean>> | undefined
  const shown = refusal['shown'] as { readonly data: Readonly<Record<string, unknown>> | undefined } | undefined
  return new KernelError(code as ErrorCode, message, { ...(details && { details }), ...(shown && { shown }) })
}
