/** Keeps the view of a token during asynchronous work. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { readOptions } from '../../core/base/options.ts'

export interface RunOptions {
  /**
   * The `id` that the audit log has for every call of the run: 1 to 128 printable ASCII characters, such as the id of an HTTP request or of
   * a trace. Default: the id of the run around this one, or a random UUID.
   */
  readonly requestId?: string
  /** The caller's address, which is compared with bound CIDRs. Default: none, so a token that is bound to addresses is refused. */
  readonly remoteAddress?: string
}

/** A kernel, or a view of a namespace. */
interface Viewable<V> {
  as(token: string, options?: { readonly remoteAddress?: string; readonly requestId?: string }): V
}

export interface KernelContext<V> {
  /**
   * Calls `work`. While `work` runs, and in everything that it starts, {@link current} returns the view of the token. Nested runs restore
   * the outer view, and concurrent runs do not affect each other.
   * @returns The result of `work`.
   * @throws TypeError for a token that is empty or no string, for an invalid option, and what `work` throws.
   */
  run<T>(token: string, work: () => T, options?: RunOptions): T
  /**
   * Returns the view of the token with which the innermost run was started, as `kernel.as(token)` does. Every call of the view validates
   * the token, so after the token was revoked, calls are refused.
   * @throws TypeError outside of a run.
   */
  current(): V
}

interface Run<V> {
  readonly view: V
  readonly requestId: string
}

const REQUEST_ID = /^[\x20-\x7e]{1,128}$/

/**
 * Makes the token of a request available to all code that serves the request. Create one context for each kernel, when the application
 * starts. All calls of a run have the same request id in the audit log.
 * @param kernel A kernel, or a view of a namespace.
 * @throws TypeError for an object that is not a kernel.
 * @example
 * const context = kernelContext(kernel)
 * await context.run(token, async () => context.current().kv.readSecret({ path: 'app' }))
 */
export function kernelContext<V extends object>(kernel: Viewable<V>): KernelContext<V> {
  if (typeof kernel?.as !== 'function') throw new TypeError('kernelContext: kernel must be a kernel')
  const runs = new AsyncLocalStorage<Run<V>>()
  return {
    run(token, work, options = {}) {
      if (typeof work !== 'function') throw new TypeError('run: work must be a function')
      const { remoteAddress, requestId } = readOptions('run', options, { requestId: 1, remoteAddress: 1 })
      if (requestId !== undefined && !(typeof requestId === 'string' && REQUEST_ID.test(requestId)))
        throw new TypeError('requestId: must be 1 to 128 printable ASCII characters')
      const id = requestId ?? runs.getStore()?.requestId ?? randomUUID()
      const view = kernel.as(token, { requestId: id, ...(remoteAddress !== undefined && { remoteAddress }) })
      return runs.run({ view, requestId: id }, work)
    },
    current() {
      const run = runs.getStore()
      if (!run) throw new TypeError('current: no run is active; call run(token, work) around this code')
      return run.view
    },
  }
}
