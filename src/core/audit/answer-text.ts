/** Writes the member `response` of an entry as JSON text, in Vault's format. */
import { type MaybePromise, whenAvailable } from '../base/maybe-promise.ts'
import type { AuditAuth } from '../contract/audit-entry.ts'
import type { LoginRefusalReason } from '../contract/login-reason.ts'
import type { KernelResponse } from '../contract/request.ts'
import type { WireReply } from '../contract/wire-reply.ts'
import type { Values } from '../field/parse.ts'
import { memberOf } from '../json/wide-object.ts'
import type { AuditBasis } from './audit-basis.ts'
import { auditAuthOf } from './caller-text.ts'
import type { Device } from './device.ts'
import { hasNoMembers, mountText, NONE } from './request-text.ts'
import type { TrailParts } from './trail.ts'

/** The answer of a typed call or a call by path. */
export interface AuditedAnswer {
  readonly auth?: Values | undefined
  readonly data?: Values | undefined
  readonly wrapInfo?: Values | undefined
  /** Empty if a secret was returned without a lease. */
  readonly leaseId?: string | undefined
  readonly warnings?: readonly string[] | undefined
  /** The error message. It is hashed in the member `data`, and unhashed in the entry's member `error`. */
  readonly error?: string | undefined
  /** Why a login was refused. The reason is written only to the log; the caller does not get it. */
  readonly reason?: LoginRefusalReason | undefined
  /** The status and body of the answer, if the answer has an error status or lacks Vault's usual members such as `request_id`. */
  readonly raw?: { readonly status: number; readonly body: object } | undefined
}

/** An answer in the form in which the kernel has it. It is converted only for the audit log. */
export type AnswerToAudit =
  | AuditedAnswer
  | { readonly response: KernelResponse }
  | { readonly reply: WireReply; readonly warnings: readonly string[] | undefined }

export const auditedAnswerOf = (answer: AnswerToAudit): AuditedAnswer => {
  if ('response' in answer) return answerOfResponse(answer.response)
  return 'reply' in answer ? answerOfReply(answer.reply, answer.warnings) : answer
}

interface Envelope {
  readonly request_id?: string
  readonly lease_id?: string
  readonly lease_duration?: number
  readonly data?: Values | null
  readonly auth?: Values | null
  readonly wrap_info?: Values | null
  readonly warnings?: readonly string[] | null
  readonly errors?: readonly string[]
}

/** The answer of a call by path. */
function answerOfResponse({ status, body }: KernelResponse): AuditedAnswer {
  if (typeof body !== 'object' || body === null) return {}
  const { request_id, lease_id, lease_duration, data, auth, wrap_info, warnings, errors } = body as Envelope
  if (request_id === undefined) return errors ? { error: errors[0] } : { raw: { status, body } }
  if (status >= 400) return { raw: { status, body }, error: errors?.[0] }
  return {
    auth: auth ?? undefined,
    data: data ?? undefined,
    wrapInfo: wrap_info ?? undefined,
    leaseId: lease_id !== '' || (lease_duration ?? 0) > 0 ? lease_id : undefined,
    warnings: warnings ?? undefined,
  }
}

/** Converts the answer of a typed call to the form that the answer of a call by path has. */
function answerOfReply(reply: WireReply, warnings: readonly string[] | undefined): AuditedAnswer {
  if (reply.bare) return { raw: { status: reply.status ?? 200, body: reply.bare }, warnings }
  if (reply.whole) return answerOfResponse({ status: reply.status ?? 200, headers: {}, body: reply.whole })
  const { auth, data, wrap_info, lease_id, lease_duration } = reply
  return {
    auth,
    data,
    wrapInfo: wrap_info as Values | undefined,
    leaseId: lease_id ?? (lease_duration === undefined ? undefined : ''),
    warnings,
  }
}

export function answerText(
  device: Device,
  { at: place, request }: AuditBasis,
  answer: AuditedAnswer,
  identify: TrailParts['identify'],
): MaybePromise<string> {
  const mount = mountText(place)
  const { data, raw, error, wrapInfo, leaseId, warnings } = answer
  const members = (auth: string, text: string): string => {
    const front = (auth && `,"auth":${auth}`) + mount
    const behind =
      (leaseId === undefined ? '' : `,"secret":${leaseId === '' ? '{}' : JSON.stringify({ lease_id: leaseId })}`) +
      (text && `,"data":${text}`) +
      (warnings?.length ? `,"warnings":${JSON.stringify(warnings)}` : '') +
      (wrapInfo ? `,"wrap_info":${wrapText(device, wrapInfo)}` : '')
    // Each member begins with a comma, so remove the first comma. `behind` may be long, and slicing a string copies it.
    return front === '' ? `{${behind.slice(1)}}` : `{${front.slice(1)}${behind}}`
  }
  const clear = place.mount?.record.config.audit_non_hmac_response_keys ?? NONE
  const text = whenAvailable(raw ? rawData(device, raw) : error === undefined ? data : { error }, (shown) => {
    const listed = shown && request.verb === 'LIST' && device.elides ? elided(shown) : shown
    return listed && !hasNoMembers(listed) && !wrapInfo ? device.data(listed, clear) : ''
  })
  return whenAvailable(answer.auth && !wrapInfo ? newAuthText(device, answer.auth, identify) : '', (auth) =>
    whenAvailable(text, (data) => members(auth, data)),
  )
}

const rawData = (device: Device, { status, body }: { readonly status: number; readonly body: object }): MaybePromise<Values> =>
  whenAvailable(device.plain(body), (text) => ({
    http_status_code: status,
    http_content_type: 'application/json',
    http_raw_body: text,
  }))

/** Replaces `keys` and `key_info` in an answer with the number of their entries. */
function elided(data: Values): Values {
  const counted: Record<string, unknown> = {}
  const keys = memberOf(data, 'keys')
  if (Array.isArray(keys)) counted['keys'] = keys.length
  const info = memberOf(data, 'key_info')
  if (typeof info === 'object' && info !== null && !Array.isArray(info)) counted['key_info'] = Object.keys(info).length
  return { ...data, ...counted }
}

/** Writes the member `auth` for the new token in the answer. The display name and the policies are those of the token's record, if found. */
function newAuthText(device: Device, auth: Values, identify: TrailParts['identify']): MaybePromise<string> {
  const { client_token, accessor, policies, token_policies, identity_policies, metadata, num_uses } = auth
  const { entity_id, token_type, lease_duration } = auth
  const token = typeof client_token === 'string' ? client_token : ''
  return whenAvailable(token === '' ? undefined : identify(token), (caller) =>
    JSON.stringify({
      ...(token === '' ? {} : { client_token: device.hasher.text(token) }),
      ...(accessor ? { accessor: device.accessor(accessor as string) } : {}),
      ...(caller ? auditAuthOf(caller) : { policies, token_policies, identity_policies }),
      ...(metadata && !hasNoMembers(metadata) ? { metadata } : {}),
      ...(num_uses ? { num_uses } : {}),
      ...(entity_id ? { entity_id } : {}),
      token_type,
      ...(lease_duration ? { token_ttl: lease_duration } : {}),
    } as AuditAuth),
  )
}

/** Writes information about a wrapped answer. Hashes the wrapping token and the accessors, but not the times and the path. */
function wrapText(device: Device, info: Values): string {
  const { ttl, token, accessor, creation_time, creation_path, wrapped_accessor } = info
  return JSON.stringify({
    ttl,
    token: device.hasher.text(token as string),
    ...(accessor ? { accessor: device.accessor(accessor as string) } : {}),
    creation_time,
    creation_path,
    ...(wrapped_accessor ? { wrapped_accessor: device.accessor(wrapped_accessor as string) } : {}),
  })
}
