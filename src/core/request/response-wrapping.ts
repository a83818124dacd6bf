/** Response wrapping as the kernel uses it. The implementation belongs to the part `wrapping()`, which a kernel can do without. */
import { notConfigured } from '../base/errors.ts'
import type { KernelResponse } from '../contract/request.ts'
import type { Call } from '../contract/tx.ts'

/** Properties of the request that created the response. */
export interface AnswerOrigin {
  readonly list: boolean
  readonly isAuthorized: boolean
}

export interface ResponseWrapper {
  /**
   * Checks that an answer can be wrapped. Called before the operation runs. @throws KernelError 400 if the path is so long that the storage
   * key of the wrapping token's lease, which contains the path, would be too long.
   */
  check(call: Pick<Call, 'path' | 'namespace'>): void
  /**
   * Stores the answer with its status, and returns a response with status 200 and a wrapping token instead. The answer is stored in a
   * separate commit. If the process stops before this commit, the operation has taken effect but its answer is lost, as when the process
   * stops before sending any other answer.
   */
  wrap(answer: KernelResponse, call: Call, origin: AnswerOrigin): Promise<KernelResponse>
}

/** The wrapper of a kernel. Until a wrapper is installed, requests for wrapped answers are refused before they run. */
export class ResponseWrapping implements ResponseWrapper {
  #wrapper: ResponseWrapper | undefined

  /** Called at most once, when the kernel is assembled. */
  install(wrapper: ResponseWrapper): void {
    this.#wrapper = wrapper
  }

  check(call: Pick<Call, 'path' | 'namespace'>): void {
    this.#installed().check(call)
  }

  wrap(answer: KernelResponse, call: Call, origin: AnswerOrigin): Promise<KernelResponse> {
    return this.#installed().wrap(answer, call, origin)
  }

  #installed(): ResponseWrapper {
    if (!this.#wrapper) throw notConfigured('this kernel does not wrap responses')
    return this.#wrapper
  }
}
