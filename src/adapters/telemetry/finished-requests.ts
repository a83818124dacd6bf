/** Measures requests by the channel `tracing:strongroom.request`. */
import { tracingChannel } from 'node:diagnostics_channel'
import type { TracedRequest } from '../../core/contract/tracer.ts'
import type { Attributes } from './metrics.ts'

export const requests = /* @__PURE__ */ tracingChannel<unknown, TracedRequest>('strongroom.request')

/** Runs work of a subscriber. Node would report its error as an uncaught exception, which ends the process. */
export function withoutErrors(work: () => void): void {
  try {
    work()
  } catch {
    // Telemetry must not affect requests, and nothing waits for its result.
  }
}

/** Calls `listener` after each request of a kernel, with its duration in seconds. @returns A function that ends the subscription. */
export function onFinishedRequest(kernelId: string, listener: (request: TracedRequest, seconds: number) => void): () => void {
  const began = new WeakMap<TracedRequest, number>()
  const start = (message: unknown): void => {
    const request = message as TracedRequest
    if (request.kernel === kernelId) began.set(request, performance.now())
  }
  const asyncEnd = (message: unknown): void => {
    const request = message as TracedRequest
    const at = began.get(request)
    if (at !== undefined) withoutErrors(() => listener(request, (performance.now() - at) / 1000))
  }
  requests.start.subscribe(start)
  requests.asyncEnd.subscribe(asyncEnd)
  return () => {
    requests.start.unsubscribe(start)
    requests.asyncEnd.unsubscribe(asyncEnd)
  }
}

/** The value of `error.type`: the error code or the status of a request that failed; undefined for a request that succeeded. */
export const errorTypeOf = ({ code, status = 0 }: TracedRequest): string | undefined =>
  code ?? (status >= 400 ? String(status) : undefined)

export function attributesOf(request: TracedRequest): Attributes {
  const { engine, operation } = request
  const errorType = errorTypeOf(request)
  return {
    ...(engine !== undefined && { 'strongroom.engine': engine }),
    ...(operation !== undefined && { 'strongroom.operation': operation }),
    ...(errorType !== undefined && { 'error.type': errorType }),
  }
}
