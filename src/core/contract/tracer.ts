import type { KernelEvent } from './event.ts'

/**
 * The data about a request that a tracer receives. It contains names, but never parameter values. The tracer receives the same object at
 * the beginning and at the end of the request.
 */
export interface TracedRequest {
  readonly view: 'typed' | 'path'
  /** GET, LIST, POST ... */
  readonly verb: string
  /** For calls by path: the path of the request, without the query. For typed calls: the template, such as `/encrypt/:name`. */
  readonly path: string
  /** The `id` in the status of the kernel. Absent for a configuration service with a store of its own. */
  readonly kernel?: string
  /** The type of the mount, such as `transit`. For calls by path: set when the path has been resolved, and absent if nothing is mounted there. */
  engine?: string
  /**
   * For typed calls: the name of the method, such as `encryptBatch`. For calls by path: the name of the method with the same operation, such
   * as `encrypt`; set when the path has been resolved, and absent if there is no operation.
   */
  operation?: string
  /** Set at the end. For calls by path: the status of the response. For typed calls: the status of the error, if there is one. */
  status?: number
  /**
   * Set at the end of a typed call that failed: the error code, such as `ERR_INVALID_REQUEST`; `TypeError` for a wrong argument, and `_OTHER`
   * for any other error.
   */
  code?: string
}

export interface Tracer {
  /** Whether a subscriber is tracing requests. */
  readonly listening: boolean
  /** Reports the beginning and the end of `run` to subscribers. */
  request<T>(about: TracedRequest, run: () => Promise<T>, ended: (value: T, about: TracedRequest) => void): Promise<T>
  readonly events: EventTrace
}

/** Receives every event immediately. */
export interface EventTrace {
  /** Whether a subscriber is tracing events. */
  readonly listening: boolean
  publish(event: KernelEvent): void
}
