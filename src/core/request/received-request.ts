/** A call by path that is being processed. */
import type { RequestRecord } from '../audit/record-request.ts'
import type { BodyAccount } from '../exchange/body-budget.ts'
import type { Values } from '../field/parse.ts'
import type { AuthorizationRequest } from './admission.ts'
import type { DecodedRequest } from './decode.ts'
import type { ResolvedPath } from './path-resolver.ts'

/** A decoded request that has not been authorized yet. */
export interface ReceivedRequest {
  readonly sent: DecodedRequest
  readonly data: Values
  readonly held: BodyAccount
  readonly namespace: string | undefined
  readonly wrapTtl: number
  readonly token: string | undefined
  /** Undefined if requests are not audited. */
  readonly record: RequestRecord | undefined
}

export const authorizationRequestOf = (
  { sent, data, wrapTtl, record }: ReceivedRequest,
  { namespace, path, trailingSlash, mount, route }: ResolvedPath,
): AuthorizationRequest => ({
  verb: sent.verb,
  namespace,
  path,
  trailingSlash,
  mount,
  operation: route.operation,
  captures: route.captures,
  parameters: () => data,
  wrapTtl,
  remoteAddress: sent.remoteAddress,
  record,
})
