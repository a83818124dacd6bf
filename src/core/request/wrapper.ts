/** Wraps responses in single-use tokens. */
import { LEASE_RECORD, tokenLeaseKey } from '../access/lease/lease.ts'
import { wrapAnswer } from '../access/wrapping/wrapping-token.ts'
import { Slices } from '../base/slices.ts'
import { isSteps } from '../base/steps.ts'
import type { KernelResponse } from '../contract/request.ts'
import type { Call } from '../contract/tx.ts'
import { jsonTextSoon } from '../json/json-text.ts'
import type { Topology } from '../mount/topology.ts'
import type { Host } from '../transaction/host.ts'
import { checkKey } from '../transaction/keys.ts'
import { transactAndEnd } from '../transaction/transact.ts'
import type { AnswerOrigin, ResponseWrapper } from './response-wrapping.ts'

interface Envelope {
  readonly data: unknown
  readonly wrap_info: unknown
  readonly auth: { readonly accessor?: string } | null
  readonly mount_type?: string
}

/** The members of the envelope that replaces the wrapped answer. They show nothing about the answer. */
const EMPTY = { request_id: '', lease_id: '', renewable: false, lease_duration: 0, data: null }

/**
 * Whether the response has an answer to wrap. As in Vault, it does if it is an envelope with a status below 400, or an envelope with data
 * and any status, such as the envelope of a batch with failed items. An envelope that contains a wrapping token is not wrapped again.
 * @param isAuthorized Whether policies applied to the request. If so, a response without an envelope is wrapped, too, unless it is an
 * error, because a policy may have required wrapping.
 */
function carries({ status, body }: KernelResponse, isAuthorized: boolean): boolean {
  if (typeof body !== 'object' || body === null) return false
  if (!('wrap_info' in body)) return isAuthorized && (status < 400 || !('errors' in body))
  const { data, wrap_info } = body as Envelope
  return wrap_info === null && (status < 400 || (data !== null && data !== undefined))
}

/**
 * A placeholder of the same length as the id of a token's record. With it, the length of a storage key can be checked before the token
 * exists.
 */
const LIKE_AN_ID = 'h'.repeat(65)

export class Wrapper implements ResponseWrapper {
  readonly #host: Host
  readonly #topology: Topology

  constructor(host: Host, topology: Topology) {
    this.#host = host
    this.#topology = topology
  }

  check({ path, namespace }: Pick<Call, 'path' | 'namespace'>): void {
    const lease = tokenLeaseKey(LIKE_AN_ID, { namespace: namespace.uuid, path: `${path}/` })
    checkKey(this.#topology.coreKeyspace(namespace).prefix(LEASE_RECORD) + lease)
  }

  async wrap(answer: KernelResponse, call: Call, { list, isAuthorized }: AnswerOrigin): Promise<KernelResponse> {
    const { wrap, path, namespace } = call
    if (!wrap || !carries(answer, isAuthorized)) return answer
    const body = answer.body as Envelope
    const text = jsonTextSoon(body)
    const wrapped = {
      ...wrap,
      status: answer.status,
      answer: isSteps(text) ? await new Slices(this.#host.clock).drive(text) : text,
      path: list ? `${path}/` : path,
      wrappedAccessor: body.auth?.accessor || undefined,
    }
    const keyspace = this.#topology.coreKeyspace(namespace)
    const { value } = await transactAndEnd(this.#host, keyspace, call, 'write', (run) => wrapAnswer(run, wrapped))
    const mount_type = body.mount_type ?? call.mount.type
    return { ...answer, status: 200, body: { ...EMPTY, wrap_info: value, warnings: null, auth: null, mount_type } }
  }
}
