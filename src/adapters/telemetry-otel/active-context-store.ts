import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, context } from '@opentelemetry/api'

interface Scope {
  [Symbol.dispose](): void
}

interface WithScope {
  withScope?(active: Context): Scope
}

/**
 * A store for `channel.bindStore` that makes a context active in OpenTelemetry. A channel calls `run`. From Node 25.9 on, it calls
 * `withScope`, for which the API of OpenTelemetry has no function: use the storage of the context manager, and without one leave the active
 * context unchanged.
 */
class ActiveContextStore extends AsyncLocalStorage<Context> implements WithScope {
  override run<R, A extends unknown[]>(active: Context, work: (...args: A) => R, ...args: A): R {
    return context.with(active, work as never, undefined, ...args) as R
  }

  withScope(active: Context): Scope {
    const { _getContextManager } = context as unknown as {
      _getContextManager?(this: unknown): { readonly _asyncLocalStorage?: WithScope }
    }
    const storage = _getContextManager?.call(context)._asyncLocalStorage
    return storage?.withScope?.(active) ?? { [Symbol.dispose]() {} }
  }
}

/** Returns a new store, because a channel keeps one function for each store. */
export const activeContextStore = (): AsyncLocalStorage<Context> => new ActiveContextStore()
