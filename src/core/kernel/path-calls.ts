/** Calls by path. Their code is loaded by the first call. */
import { DeferredCode } from '../base/deferred-code.ts'
import type { Engine } from '../contract/engine.ts'
import type { KernelRequest, KernelResponse } from '../contract/request.ts'
import { ownRequest } from '../exchange/own-arguments.ts'
import type { PathView } from '../request/path-view.ts'
import type { KernelInternals } from './assemble.ts'

const PATH_VIEW = /* @__PURE__ */ new DeferredCode('calls by path', () => import('./create-path-view.ts'))

export class PathCalls {
  readonly #internals: KernelInternals
  readonly #system: Engine
  #view: PathView | undefined

  /** @param system The engine that serves `sys/`. */
  constructor(internals: KernelInternals, system: Engine) {
    this.#internals = internals
    this.#system = system
  }

  handle(request: KernelRequest): Promise<KernelResponse> {
    return this.#view ? this.#view.handle(request) : this.#internals.gate.track(this.#first(request))
  }

  async precheck(request: Omit<KernelRequest, 'body'>): Promise<KernelResponse | undefined> {
    const view = await this.#loaded()
    return view instanceof Error ? failure(view) : view.precheck(request)
  }

  async #first(request: KernelRequest): Promise<KernelResponse> {
    const own = ownRequest(request, this.#internals.host.clock)
    const view = await this.#loaded()
    return view instanceof Error ? failure(view) : view.handle(await own)
  }

  async #loaded(): Promise<PathView | Error> {
    try {
      const { createPathView } = await PATH_VIEW.loaded()
      this.#view ??= createPathView(this.#internals, this.#system)
      return this.#view
    } catch (error) {
      return error as Error
    }
  }
}

const failure = ({ message }: Error): KernelResponse => ({ status: 503, headers: {}, body: { errors: [message] } })
