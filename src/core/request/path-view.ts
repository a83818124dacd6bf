/** Calls by path: `handle(request)`. The method never throws and uses no sockets. */
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
import type { TracedRequest, Tracer } from '../contract/tracer.ts'
import { ownRequest } from '../exchange/own-arguments.ts'
import { noteStatus, tracedRequest } from '../exchange/traced-request.ts'
import { failureOf } from './envelope.ts'
import { answerByStages, type DecodedRequest } from './path-request.ts'
import { PathStages, type PathStagesParts } from './path-stages.ts'

export interface PathViewParts extends PathStagesParts {
  readonly tracer: Tracer
  /** The id of the kernel. */
  readonly kernelId: string
}

export class PathView {
  readonly #parts: PathViewParts
  readonly #stages: PathStages

  constructor(parts: PathViewParts) {
    this.#parts = parts
    this.#stages = new PathStages(parts)
  }

  handle(request: KernelRequest): Promise<KernelResponse> {
    const { tracer, kernelId } = this.#parts
    if (!tracer.listening) return this.#handle(request)
    const traced = tracedRequest(request, { kernel: kernelId })
    return tracer.request(traced, () => this.#handle(request, traced), noteStatus)
  }

  #handle(request: KernelRequest, traced?: TracedRequest): Promise<KernelResponse> {
    const loading = this.#parts.code.loadSystem(request)
    return loading ? this.#handleLater(request, loading, traced) : this.#answer(request, traced)
  }

  async #handleLater(request: KernelRequest, loading: Promise<void>, traced: TracedRequest | undefined): Promise<KernelResponse> {
    const own = ownRequest(request, this.#parts.clock)
    return loading.then(
      async () => this.#handle(await own, traced),
      (thrown) => this.#finish(failureOf(thrown), undefined),
    )
  }

  #answer(request: KernelRequest, traced: TracedRequest | undefined): Promise<KernelResponse> {
    let decoded: DecodedRequest | undefined
    const finish = (answer: KernelResponse): KernelResponse => this.#finish(answer, decoded)
    try {
      decoded = this.#stages.decode(request)
      decoded.traced = traced
      const answer = answerByStages(this.#stages, decoded)
      if (!(answer instanceof Promise)) return Promise.resolve(finish(answer))
      return this.#parts.gate.track(answer.catch(failureOf).then(finish))
    } catch (thrown) {
      return Promise.resolve(finish(failureOf(thrown)))
    }
  }

  /**
   * Checks a request before its body is read. Returns the response if the request is refused whatever its body contains; an HTTP server
   * then need not read the body. Returns undefined if the response depends on the body. Use this method only for bodies of more than 1 MiB;
   * read a shorter body first and pass it to `handle`.
   */
  async precheck(request: KernelRequest): Promise<KernelResponse | undefined> {
    let decoded: DecodedRequest | undefined
    try {
      await this.#parts.code.loadSystem(request)
      decoded = this.#stages.decode(request)
      this.#stages.checkMarker(decoded)
      await this.#parts.gate.track(Promise.resolve(this.#stages.precheck(decoded)))
      return undefined
    } catch (thrown) {
      return this.#finish(failureOf(thrown), decoded)
    }
  }

  /** Releases the memory of the body, and adds the headers that every response has. */
  #finish({ status, headers, body }: KernelResponse, decoded: DecodedRequest | undefined): KernelResponse {
    decoded?.bodyAccount.release()
    const stamped = this.#parts.index.stamp(headers)
    const namespace = decoded?.namespaceHeader
    const all = namespace ? { ...stamped, [this.#parts.headerNames.namespace]: namespace } : stamped
    return body === undefined ? { status, headers: all } : { status, headers: all, body }
  }
}
