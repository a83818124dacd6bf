/**
 * Wraps answers on their way out. Room: core/request. Imported by the path view and the lifecycle.
 */
import { jsonText } from '../json-text.ts'
import { LEASE, tokenLeaseKey } from '../lease/lease.ts'
import type { Topology } from '../mount/topology.ts'
import type { Host } from '../transaction/host.ts'
import { checkKey } from '../transaction/keys.ts'
import { transact } from '../transaction/transact.ts'
import { wrapAnswer } from '../wrapping/wrapping-token.ts'
import type { Call } from './call.ts'
import type { KernelResponse } from './request.ts'

interface Envelope {
  readonly wrap_info: unknown
  readonly auth: { readonly accessor?: string } | null
}

/** As long as what tokens are stored under. */
const LIKE_AN_ID = 'h'.repeat(65)

export class Wrapper {
  readonly #host: Host
  readonly #topology: Topology

  constructor(host: Host, topology: Topology) {
    this.#host = host
    this.#topology = topology
  }

  /** To be asked before anything is done. @throws KernelError 400 for a path that is too long for the token of its answer. */
  check({ path, namespace }: Pick<Call, 'path' | 'namespace'>): void {
    const lease = tokenLeaseKey(LIKE_AN_ID, { namespace: namespace.uuid, path: `${path}/` })
    checkKey(this.#topology.corePlace(namespace).prefix(LEASE) + lease)
  }

  /**
   * What has an envelope and is no refusal is put away; the answer tells of the token that opens it. A commit of its own: should the
   * process die before it, what was asked for was done and nobody knows the answer, as when any answer is lost.
   */
  async wrap(answer: KernelResponse, call: Call, list: boolean): Promise<KernelResponse> {
    const { wrap, path, namespace } = call
    const body = answer.body as Envelope | undefined
    if (!wrap || answer.status !== 200 || body?.wrap_info !== null) return answer
    const wrapped = {
      ...wrap,
      answer: jsonText(body),
      path: list ? `${path}/` : path,
      wrappedAccessor: body.auth?.accessor || undefined,
    }
    const place = this.#topology.corePlace(namespace)
    const { value, tx } = await transact(this.#host, place, call, 'write', (run) => wrapAnswer(run, wrapped))
    tx.end()
    const empty = { request_id: '', lease_id: '', renewable: false, lease_duration: 0, data: null }
    return { ...answer, body: { ...body, ...empty, wrap_info: value, warnings: null, auth: null } }
  }
}
