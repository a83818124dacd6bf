/** The response envelopes of calls by path. */

import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { uuid } from '../base/identifiers.ts'
import { loginRefusal } from '../contract/login-refusal.ts'
import type { KernelResponse } from '../contract/request.ts'
import type { WireReply } from '../contract/wire-reply.ts'
import { DENIED_BY_POLICY } from './denied-by-policy.ts'

const HEADERS = Object.freeze({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })

/** The parts of an envelope that are not part of the operation's result. */
export interface EnvelopeNotes {
  readonly warnings: readonly string[]
  /**
   * The errors of a response that has a failure status and nevertheless contains `data`, such as the response to a batch with failed items.
   */
  readonly errors?: readonly string[] | undefined
}

/**
 * The response to a successful request, and to a batch with failed items. If there are neither data nor warnings, the status is 204.
 * @param id The request id, if an id has already been assigned.
 */
export function envelope(
  reply: WireReply,
  { warnings, errors }: EnvelopeNotes,
  mountType: string,
  entropy: Entropy,
  id?: string,
): KernelResponse {
  const { status, data, auth, wrap_info, lease_id } = reply
  if (reply.whole) return { status: status ?? 200, headers: HEADERS, body: reply.whole }
  if (reply.bare) return { status: status ?? 200, headers: HEADERS, body: reply.bare }
  const warns = warnings.length > 0
  if (reply.empty && !warns) return { status: status ?? 204, headers: HEADERS }
  if (!data && !auth && !lease_id && !wrap_info && !warns && status === undefined) return { status: 204, headers: HEADERS }
  const body = {
    // The client that unwraps the answer gets the request id. The envelope with the wrapping token does not contain it.
    request_id: wrap_info ? '' : (id ?? uuid(entropy.bytes(16))),
    lease_id: lease_id ?? '',
    renewable: reply.renewable ?? false,
    lease_duration: reply.lease_duration ?? 0,
    data: data ?? null,
    wrap_info: wrap_info ?? null,
    warnings: warns ? warnings : null,
    auth: auth ?? null,
    mount_type: mountType,
  }
  const whole = reply.repeated ? { ...data, ...body } : body
  return { status: status ?? 200, headers: HEADERS, body: errors ? { ...whole, errors } : whole }
}

/** The response to a failed request. `errors` is empty if a record does not exist. */
export const failure = (status: number, errors: readonly string[]): KernelResponse => ({
  status,
  headers: HEADERS,
  body: { errors },
})

const DENIED = '1 error occurred:\n\t* permission denied\n\n'

/** The response to a thrown error. The message is returned only if the error is a `KernelError`. */
export function failureOf(thrown: unknown): KernelResponse {
  if (!(thrown instanceof KernelError) || thrown.code === 'ERR_AUDIT') return failure(500, ['internal error'])
  const refusal = failure(thrown.status, [shownOf(thrown)])
  const { retry_after } = thrown.details
  return retry_after === undefined ? refusal : { ...refusal, headers: { ...HEADERS, 'Retry-After': String(retry_after) } }
}

/** The message of a denied call by path is a fixed text. Only typed calls get the details. */
function shownOf(refusal: KernelError): string {
  if (refusal.details['by'] === DENIED_BY_POLICY) return DENIED
  return loginRefusal(refusal) === undefined ? refusal.message : 'permission denied'
}
