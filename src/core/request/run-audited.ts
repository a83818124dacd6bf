/** Runs calls by path between their request entry and their response entry in the audit log. */
import type { RecordedHeader } from '../audit/audit-basis.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Trail } from '../audit/trail.ts'
import type { Entropy } from '../base/entropy.ts'
import { uuid } from '../base/identifiers.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { KernelResponse } from '../contract/request.ts'
import { type Headers, rawHeader } from '../exchange/headers.ts'
import { withoutQuery } from '../exchange/path.ts'
import type { ReceivedRequest } from './path-request.ts'

/** Creates the audit record of a request, calls `answer`, and writes the entries. */
export function runAudited<T extends KernelResponse>(
  request: ReceivedRequest,
  audit: AuditLog,
  trail: Trail,
  entropy: Entropy,
  answer: () => MaybePromise<T>,
): MaybePromise<T> {
  const { verb, sentPath, sentData: data, token, wrapTtl, remoteAddress } = request
  const id = uuid(entropy.bytes(16))
  const headers = recordedHeaders(request.headers, trail.parts.headers)
  const path = withoutQuery(sentPath).replace('/v1/', '')
  const record = audit.begin(trail, { id, verb, token, data, headers, remoteAddress, wrapTtl }, path)
  request.record = record
  return record.around(answer, (response) => ({ response }))
}

/** The request headers that are written to the audit log, keyed by their lower-case names. */
function recordedHeaders(
  headers: Headers,
  wanted: ReadonlyMap<string, { readonly hmac: boolean }>,
): ReadonlyMap<string, RecordedHeader> {
  const found = new Map<string, RecordedHeader>()
  for (const [name, { hmac }] of wanted) {
    const values = [rawHeader(headers, name)].flat().filter((value) => typeof value === 'string')
    if (values.length > 0) found.set(name, { values, hmac })
  }
  return found
}
