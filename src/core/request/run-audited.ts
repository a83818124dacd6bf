/** Runs calls by path between their request entry and their response entry in the audit log. */
import type { RecordedHeader } from '../audit/audit-basis.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { RequestRecord } from '../audit/record-request.ts'
import type { Entropy } from '../base/entropy.ts'
import { uuid } from '../base/identifiers.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { KernelResponse } from '../contract/request.ts'
import { type Headers, rawHeader } from '../exchange/headers.ts'
import { withoutQuery } from '../exchange/path.ts'
import type { ReceivedRequest } from './received-request.ts'

/** Creates the audit record of a request and runs the request with it. If nothing is audited, only runs the request. */
export function runAudited(
  asked: ReceivedRequest,
  audit: AuditLog,
  entropy: Entropy,
  run: (asked: ReceivedRequest) => MaybePromise<KernelResponse>,
): MaybePromise<KernelResponse> {
  const { trail } = audit
  if (!trail) return run(asked)
  const { sent, data, token, wrapTtl } = asked
  const id = uuid(entropy.bytes(16))
  const headers = recordedHeaders(sent.headers, trail.parts.headers)
  const { verb, remoteAddress } = sent
  const record: RequestRecord = audit.begin(
    trail,
    { id, verb, token, data, headers, remoteAddress, wrapTtl },
    withoutQuery(sent.path).replace('/v1/', ''),
  )
  return record.around(
    () => run({ ...asked, record }),
    (response) => ({ response }),
  )
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
