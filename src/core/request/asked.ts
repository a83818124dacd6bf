/**
 * A request by path under way, and the question put to admission.
 */
import type { RequestRecord } from '../audit/record-request.ts'
import type { HeldBody } from '../exchange/held-bodies.ts'
import type { Values } from '../field/parse.ts'
import type { Ask } from './admission.ts'
import type { Sent } from './decode.ts'
import type { Target } from './targets.ts'

/** A request that has been read but not judged. */
export interface Asked {
  readonly sent: Sent
  readonly data: Values
  readonly held: HeldBody
  readonly namespace: string | undefined
  readonly wrapTtl: number
  readonly token: string | undefined
  /** Present where requests are audited. */
  readonly record: RequestRecord | undefined
}

export const askOf = ({ sent, data, wrapTtl, record }: Asked, { namespace, path, trailingSlash, mount, route }: Target): Ask => ({
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
