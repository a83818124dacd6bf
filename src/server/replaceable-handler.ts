/** A handler of a dev server, which can be replaced by one with an empty store while the server runs. */
import type { RequestHandler } from '../adapters/http/request-handler.ts'
import type { KernelRequest, KernelResponse } from '../core/contract/request.ts'

interface ClosableHandler extends RequestHandler {
  close(): Promise<void>
}

/** Answers each request with the handler that is the current one when the request arrives. */
export class ReplaceableHandler<T extends ClosableHandler> implements RequestHandler {
  readonly #open: () => Promise<T>
  #current: T
  #replacing: Promise<void> = Promise.resolve()

  private constructor(open: () => Promise<T>, current: T) {
    this.#open = open
    this.#current = current
  }

  static async open<T extends ClosableHandler>(open: () => Promise<T>): Promise<ReplaceableHandler<T>> {
    return new ReplaceableHandler(open, await open())
  }

  get current(): T {
    return this.#current
  }

  /** Opens a new handler, and closes the one before. Calls at the same time run one after another. */
  replace(): Promise<void> {
    const next = this.#replacing.then(async () => {
      const before = this.#current
      this.#current = await this.#open()
      await before.close()
    })
    this.#replacing = next.catch(() => {})
    return next
  }

  async close(): Promise<void> {
    await this.#replacing
    await this.#current.close()
  }

  handle(request: KernelRequest): Promise<KernelResponse> {
    return this.#current.handle(request)
  }

  async precheck(request: KernelRequest): Promise<KernelResponse | undefined> {
    return this.#current.precheck?.(request)
  }
}
