/**
 * The shape of every answer. Room: core/request. Imported by the path view only.
 */

import type { Entropy } from '../entropy.ts'
import { KernelError } from '../errors.ts'
import { uuid } from '../identifiers.ts'
import type { WireReply } from '../operation/wire-reply.ts'
import type { KernelResponse } from './request.ts'

const HEADERS = Object.freeze({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })

export interface Answer extends WireReply {
  readonly warnings?: readonly string[] | undefined
  /** Beside `data` where a batch failed as a whole. */
  readonly errors?: readonly string[] | undefined
  readonly mountType: string
}

/** A success, or a batch whose items failed. Without data and warnings it is 204. */
export function envelope(answer: Answer, entropy: Entropy): KernelResponse {
  if (answer.whole) return { status: 200, headers: HEADERS, body: answer.whole }
  if (answer.bare) return { status: answer.status ?? 200, headers: HEADERS, body: answer.bare }
  const warnings = answer.warnings?.length ? answer.warnings : null
  if (answer.empty && !warnings) return { status: answer.status ?? 204, headers: HEADERS }
  const says = answer.data || answer.auth || answer.lease_id || answer.wrap_info || warnings || answer.status !== undefined
  if (!says) return { status: 204, headers: HEADERS }
  const body = {
    request_id: uuid(entropy.bytes(16)),
    lease_id: answer.lease_id ?? '',
    renewable: answer.renewable ?? false,
    lease_duration: answer.lease_duration ?? 0,
    data: answer.data ?? null,
    wrap_info: answer.wrap_info ?? null,
    warnings,
    auth: answer.auth ?? null,
    mount_type: answer.mountType,
  }
  const whole = answer.repeated ? { ...answer.data, ...body } : body
  return { status: answer.status ?? 200, headers: HEADERS, body: answer.errors ? { ...whole, errors: answer.errors } : whole }
}

/** A refusal. `errors` is empty where nothing went wrong but nothing is there either. */
export const failure = (status: number, errors: readonly string[]): KernelResponse => ({
  status,
  headers: HEADERS,
  body: { errors },
})

/** In the details of a refusal: the caller is known, and may not. */
export const DENIED_BY_POLICY = 'policy'
const DENIED = '1 error occurred:\n\t* permission denied\n\n'

/** What a thrown thing looks like outside. Only our own words leave the kernel. */
export function failureOf(thrown: unknown): KernelResponse {
  if (thrown instanceof KernelError)
    return failure(thrown.status, [thrown.details['by'] === DENIED_BY_POLICY ? DENIED : thrown.message])
  return failure(500, ['internal error'])
}
