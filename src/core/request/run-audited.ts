/** Runs calls by path between their request entry and their response entry in the audit log. */
import { answerOfResponse } from '../audit/answer-text.ts'
import type { RecordedHeader } from '../audit/audit-basis.ts'
import { RequestRecord } from '../audit/record-request.ts'
import type { Trail } from '../audit/trail.ts'
import type { Entropy } from '../base/entropy.ts'
import { uuid } from '../base/identifiers.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { KernelResponse } from '../contract/request.ts'
import { type Headers, rawHeader } from '../exchange/headers.ts'
import { withoutQuery } from '../exchange/path.ts'
import type { ReceivedRequest } from './received-request.ts'

/** Creates the audit record of a request and runs the request with it. */
export function runAudited(
  asked: ReceivedRequest,
  trail: Trail,
  entropy: Entropy,
  run: (asked: ReceivedRequest, record: RequestRecord) => MaybePromise<KernelResponse>,
): MaybePromise<KernelResponse> {
  const { sent, data, token, wrapTtl } = asked
  const id = uuid(entropy.bytes(16))
  const headers = recordedHeaders(sent.headers, trail.parts.headers)
  const { verb, remoteAddress } = sent
  const record = new RequestRecord(
    trail,
    { id, verb, token, data, headers, remoteAddress, wrapTtl },
    withoutQuery(sent.path).replace('/v1/', ''),
  )
  return record.around(() => run({ ...asked, record }, record), answerOfResponse)
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
