import { type Context, context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { TracedRequest } from '../../core/contract/tracer.ts'
import { attributesOf, errorTypeOf, requests, withoutErrors } from '../telemetry/finished-requests.ts'
import { activeContextStore } from './active-context-store.ts'

/** The name of a span whose operation is not known yet, or does not exist. */
const UNKNOWN = 'strongroom.request'

/** Makes a span for each request of a kernel. @returns A function that stops it. Spans that have begun then still end. */
export function reportSpans(kernelId: string, tracer: Tracer, own: Readonly<Record<string, string>>): () => void {
  const running = new Map<TracedRequest, Span>()
  let isStopped = false
  const begin = (request: TracedRequest): Context => {
    const parent = context.active()
    if (request.kernel !== kernelId) return parent
    let active = parent
    withoutErrors(() => {
      active = begun(request, parent)
    })
    return active
  }
  const begun = (request: TracedRequest, parent: Context): Context => {
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
    withoutErrors(() => finish(span, request))
    running.delete(request)
    if (isStopped) leaveIfIdle()
  }
  const leaveIfIdle = (): void => {
    if (running.size === 0) requests.asyncEnd.unsubscribe(end)
  }
  const finish = (span: Span, request: TracedRequest): void => {
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
    isStopped = true
    leaveIfIdle()
  }
}

const nameOf = ({ engine, operation }: TracedRequest): string =>
  engine === undefined || operation === undefined ? UNKNOWN : `strongroom.${engine}.${operation}`

/** A call by path that the caller must correct is no failure of the kernel, as for the server spans of HTTP. */
const isFailure = (request: TracedRequest): boolean =>
  request.view === 'path' ? (request.status ?? 0) >= 500 : errorTypeOf(request) !== undefined
