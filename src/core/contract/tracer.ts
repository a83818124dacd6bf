/**
 * Who watches requests from outside, if anybody does.
 */
import type { KernelEvent } from './event.ts'

/** What is told of a request: names, and never a value. The same object from its beginning to its end. */
export interface TracedRequest {
  readonly view: 'typed' | 'path'
  /** GET, LIST, POST ... */
  readonly verb: string
  /** By path as it was sent, without the query; typed the template, such as `/encrypt/:name`. */
  readonly path: string
  /** At the end: by path the status of the answer, typed that of a refusal. */
  status?: number
  /** At the end: of a refusal of the typed view, such as `ERR_INVALID_REQUEST`. */
  code?: string
}

export interface Tracer {
  /** Whether anybody listens to requests at this moment. */
  readonly listening: boolean
  /** Told of the beginning and the end of `run`. */
  request<T>(about: TracedRequest, run: () => Promise<T>, ended: (value: T, about: TracedRequest) => void): Promise<T>
  readonly events: EventTrace
}

/** What else learns of every event, at once. */
export interface EventTrace {
  /** Whether anybody listens there at this moment. */
  readonly listening: boolean
  tell(event: KernelEvent): void
}
