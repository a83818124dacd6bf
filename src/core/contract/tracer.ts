import type { KernelEvent } from './event.ts'

/** The data that a tracer receives about a request: names, never values. The same object is passed at the beginning and at the end. */
export interface TracedRequest {
  readonly view: 'typed' | 'path'
  /** GET, LIST, POST ... */
  readonly verb: string
  /** Path calls: the path as sent, without the query. Typed calls: the template, such as `/encrypt/:name`. */
  readonly path: string
  /** Set at the end. Path calls: the status of the answer. Typed calls: the status of the error, if any. */
  status?: number
  /** Set at the end of a typed call that failed: the error code, such as `ERR_INVALID_REQUEST`. */
  code?: string
}

export interface Tracer {
  /** Whether a subscriber traces requests now. */
  readonly listening: boolean
  /** Reports the beginning and the end of `run` to subscribers. */
  request<T>(about: TracedRequest, run: () => Promise<T>, ended: (value: T, about: TracedRequest) => void): Promise<T>
  readonly events: EventTrace
}

/** Receives every event immediately. */
export interface EventTrace {
  /** Whether a subscriber traces events now. */
  readonly listening: boolean
  publish(event: KernelEvent): void
}
