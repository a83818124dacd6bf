/**
 * Traces requests and events for an outside observer, if there is one.
 */
import type { KernelEvent } from './event.ts'

/**
 * What a tracer learns of a request: names, and never a value. It is the same object from the request's beginning to its end.
 */
export interface TracedRequest {
  readonly view: 'typed' | 'path'
  /** GET, LIST, POST ... */
  readonly verb: string
  /** By path: the path as sent, without the query. Typed: the template, such as `/encrypt/:name`. */
  readonly path: string
  /** Set at the end: by path the status of the answer; typed that of a refusal. */
  status?: number
  /** Set at the end: the code of a refusal of the typed view, such as `ERR_INVALID_REQUEST`. */
  code?: string
}

export interface Tracer {
  /** Whether anybody traces requests at this moment. */
  readonly listening: boolean
  /** Called around `run`, for its beginning and its end. */
  request<T>(about: TracedRequest, run: () => Promise<T>, ended: (value: T, about: TracedRequest) => void): Promise<T>
  readonly events: EventTrace
}

/** Receives every event at once. */
export interface EventTrace {
  /** Whether anybody traces events at this moment. */
  readonly listening: boolean
  tell(event: KernelEvent): void
}
