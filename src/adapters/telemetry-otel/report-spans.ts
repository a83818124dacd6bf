import { type Context, context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { TracedRequest } from '../../core/contract/tracer.ts'
import { attributesOf, errorTypeOf, requests } from '../telemetry/finished-requests.ts'
import { activeContextStore } from './active-context-store.ts'

/** The name of a span whose operation is not known yet, or does not exist. */
const UNKNOWN = 'strongroom.request'

/** Makes a span for each request of a kernel. @returns A function that stops it. */
export function reportSpans(kernelId: string, tracer: Tracer, own: Readonly<Record<string, string>>): () => void {
  const running = new WeakMap<TracedRequest, Span>()
  const begin = (request: TracedRequest): Context => {
    const parent = context.active()
    if (request.kernel !== kernelId) return parent
    const span = tracer.startSpan(
      nameOf(request),
      { kind: SpanKind.INTERNAL, attributes: { ...own, ...attributesOf(request), 'strongroom.view': request.view } },
      parent,
    )
    running.set(request, span)
    return trace.setSpan(parent, span)
  }
  const end = (message: unknown): void => {
    const request = message as TracedRequest
    const span = running.get(request)
    if (!span) return
    // The operation of a call by path is found during the request.
    if (request.view === 'path') span.updateName(nameOf(request))
    span.setAttributes(attributesOf(request))
    const { status } = request
    if (status !== undefined) span.setAttribute('strongroom.status_code', status)
    if (isFailure(request)) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  }
  const store = activeContextStore()
  requests.start.bindStore(store, begin)
  requests.asyncEnd.subscribe(end)
  return () => {
    requests.start.unbindStore(store)
    requests.asyncEnd.unsubscribe(end)
  }
}

const nameOf = ({ engine, operation }: TracedRequest): string =>
  engine === undefined || operation === undefined ? UNKNOWN : `strongroom.${engine}.${operation}`

/** A call by path that the caller must correct is no failure of the kernel, as for the server spans of HTTP. */
const isFailure = (request: TracedRequest): boolean =>
  request.view === 'path' ? (request.status ?? 0) >= 500 : errorTypeOf(request) !== undefined
