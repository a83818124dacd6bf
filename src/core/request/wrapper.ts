/**
 * Wraps answers on their way out. Room: core/request. Imported by the path view and the lifecycle.
 */
import { jsonTextSoon } from '../json-text.ts'
import type { Topology } from '../mount/topology.ts'
import { isSteps } from '../steps.ts'
import type { Host } from '../transaction/host.ts'
import { transact } from '../transaction/transact.ts'
import { wrapAnswer } from '../wrapping/wrapping-token.ts'
import type { Call } from './call.ts'
import type { KernelResponse } from './request.ts'
import { Slices } from './slices.ts'

interface Envelope {
  readonly wrap_info: unknown
  readonly auth: { readonly accessor?: string } | null
}

export class Wrapper {
  readonly #host: Host
  readonly #topology: Topology

  constructor(host: Host, topology: Topology) {
    this.#host = host
    this.#topology = topology
  }

  /**
   * What has an envelope and is no refusal is put away; the answer tells of the token that opens it. A commit of its own: should the
   * process die before it, what was asked for was done and nobody knows the answer, as when any answer is lost.
   */
  async wrap(answer: KernelResponse, call: Call, list: boolean): Promise<KernelResponse> {
    const { wrap, path, namespace } = call
    const body = answer.body as Envelope | undefined
    if (!wrap || answer.status !== 200 || body?.wrap_info !== null) return answer
    const text = jsonTextSoon(body)
    const wrapped = {
      ...wrap,
      answer: isSteps(text) ? await new Slices(this.#host.clock).drive(text) : text,
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
