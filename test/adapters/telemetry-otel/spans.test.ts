/** The spans of requests, with the SDK of OpenTelemetry. */
import { tracingChannel } from 'node:diagnostics_channel'
import { context, createContextKey, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { activeContextStore } from '../../../src/adapters/telemetry-otel/active-context-store.ts'
import { instrument, type KernelInstrumentation } from '../../../src/adapters/telemetry-otel/index.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'

const PLAINTEXT = new TextEncoder().encode('hidden')

const exporter = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const tracer = tracerProvider.getTracer('application')
let kernel: Kernel
let telemetry: KernelInstrumentation

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => context.disable())
beforeEach(async () => {
  kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'hidden-key' })
  telemetry = instrument(kernel, { tracerProvider, attributes: { tier: 'test' } })
  exporter.reset()
})
afterEach(async () => {
  telemetry.disable()
  await kernel.close()
})

const spans = (): readonly ReadableSpan[] => exporter.getFinishedSpans()
const headers = () => ({ 'X-Service-Token': kernel.rootToken })
const parentOf = (span: ReadableSpan | undefined): string | undefined => span?.parentSpanContext?.spanId

it('a typed call has an internal span with the names of its engine and operation', async () => {
  await kernel.transit.encrypt({ name: 'hidden-key', plaintext: PLAINTEXT })
  const [span, ...others] = spans()
  expect(others).toEqual([])
  expect(span).toMatchObject({
    name: 'strongroom.transit.encrypt',
    kind: SpanKind.INTERNAL,
    status: { code: SpanStatusCode.UNSET },
    instrumentationScope: { name: 'strongroom' },
  })
  expect(span?.attributes).toEqual({
    tier: 'test',
    'strongroom.engine': 'transit',
    'strongroom.operation': 'encrypt',
    'strongroom.view': 'typed',
  })
  expect(span?.duration[0]).toBeLessThan(60)
})

it('a call by path has a span that is named when its path is resolved', async () => {
  await kernel.handle({ method: 'GET', path: '/v1/transit/keys/hidden-key', headers: headers() })
  const [span] = spans()
  expect(span?.name).toBe('strongroom.transit.readKey')
  expect(span?.attributes).toMatchObject({ 'strongroom.view': 'path', 'strongroom.status_code': 200 })
  await kernel.handle({ method: 'GET', path: '/v1/nothing/mounted/here', headers: headers() })
  expect(spans().at(-1)?.name).toBe('strongroom.request')
})

it('a failed typed call has the status ERROR and its error code', async () => {
  await expect(kernel.transit.readKey({ name: 'missing' })).rejects.toThrow()
  expect(spans().at(-1)).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'error.type': 'ERR_NOT_FOUND', 'strongroom.status_code': 404 },
  })
  await expect(kernel.transit.readKey({ name: 5 as never })).rejects.toThrow(TypeError)
  expect(spans().at(-1)).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'TypeError' } })
})

it('a refused call by path has its status as error type, and is no failure of the kernel', async () => {
  await kernel.handle({ method: 'GET', path: '/v1/transit/keys/hidden-key' })
  expect(spans().at(-1)).toMatchObject({
    status: { code: SpanStatusCode.UNSET },
    attributes: { 'error.type': '403', 'strongroom.status_code': 403 },
  })
})

it('the parent of a span is the span of the application that was active', async () => {
  await tracer.startActiveSpan('application', async (parent) => {
    await Promise.all([1, 2, 3].map(() => kernel.transit.encrypt({ name: 'hidden-key', plaintext: PLAINTEXT })))
    parent.end()
  })
  await kernel.transit.encrypt({ name: 'hidden-key', plaintext: PLAINTEXT })
  const parent = spans().find(({ name }) => name === 'application')
  const found = spans().filter(({ name }) => name === 'strongroom.transit.encrypt')
  expect(found.map(parentOf)).toEqual([...[1, 2, 3].map(() => parent?.spanContext().spanId), undefined])
})

it('the span is active during the request, and not afterwards', async () => {
  const sink = async () => tracer.startSpan('audit').end()
  const own = await createDevKernel({ ports: { audit: { sinks: { main: sink } } } })
  const active = instrument(own, { tracerProvider })
  exporter.reset()
  await own.kv.writeSecret({ path: 'a', data: { a: 1 } })
  expect(trace.getActiveSpan()).toBeUndefined()
  const request = spans().find(({ name }) => name === 'strongroom.kv.writeSecret')
  expect(request).toBeDefined()
  const inner = spans().filter(({ name }) => name === 'audit')
  expect(inner.map(parentOf)).toEqual(inner.map(() => request?.spanContext().spanId))
  expect(inner).toHaveLength(2)
  active.disable()
  await own.close()
})

it('two instrumented kernels make one span for each request', async () => {
  const other = await createDevKernel()
  const second = instrument(other, { tracerProvider, attributes: { tier: 'other' } })
  await other.transit.createKey({ name: 'k' })
  await kernel.transit.encrypt({ name: 'hidden-key', plaintext: PLAINTEXT })
  expect(spans().map(({ name, attributes }) => [name, attributes['tier']])).toEqual([
    ['strongroom.transit.createKey', 'other'],
    ['strongroom.transit.encrypt', 'test'],
  ])
  second.disable()
  await other.close()
})

it('a disabled instrumentation makes no spans until it is enabled again', async () => {
  telemetry.disable()
  telemetry.disable()
  await kernel.transit.readKey({ name: 'hidden-key' })
  expect(spans()).toEqual([])
  telemetry.enable()
  telemetry.enable()
  await kernel.transit.readKey({ name: 'hidden-key' })
  expect(spans()).toHaveLength(1)
})

it('a span that has begun ends after the instrumentation was disabled', async () => {
  const running = kernel.transit.readKey({ name: 'hidden-key' })
  telemetry.disable()
  await running
  await kernel.transit.readKey({ name: 'hidden-key' })
  expect(spans().map(({ name }) => name)).toEqual(['strongroom.transit.readKey'])
  expect(tracingChannel('strongroom.request').hasSubscribers).toBe(false)
})

it('no span contains the name of a key, a path, a token or a value', async () => {
  await kernel.kv.writeSecret({ path: 'hidden/path', data: { hidden: 'hidden' } })
  await kernel.handle({ method: 'GET', path: '/v1/secret/hidden/path?hidden=1', headers: headers() })
  await kernel.handle({ method: 'POST', path: '/v1/transit/encrypt/hidden', headers: headers(), body: { plaintext: 'hidden' } })
  await expect(kernel.as('hidden').transit.readKey({ name: 'hidden' })).rejects.toThrow()
  expect(spans().length).toBeGreaterThan(3)
  const shown = spans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events }))
  expect(JSON.stringify(shown)).not.toContain('hidden')
  expect(JSON.stringify(shown)).not.toContain(kernel.rootToken)
})

it('a span processor that throws does not affect requests', async () => {
  const fail = () => {
    throw new Error('the processor failed')
  }
  const nothing = async () => {}
  const broken = { onStart: fail, onEnd: fail, forceFlush: nothing, shutdown: nothing }
  const uncaught: unknown[] = []
  const note = (error: unknown) => void uncaught.push(error)
  process.on('uncaughtException', note)
  const second = instrument(kernel, { tracerProvider: new BasicTracerProvider({ spanProcessors: [broken] }) })
  expect((await kernel.transit.readKey({ name: 'hidden-key' })).latest_version).toBe(1)
  await new Promise((resolve) => setImmediate(resolve))
  second.disable()
  process.off('uncaughtException', note)
  expect(uncaught).toEqual([])
})

it('instrument refuses an object that is not a kernel, and providers without their method', () => {
  expect(() => instrument({} as never)).toThrow('kernel: must be a kernel')
  expect(() => instrument(kernel, { tracerProvider: {} as never })).toThrow('tracerProvider: must have the method getTracer')
  expect(() => instrument(kernel, { meterProvider: {} as never })).toThrow('meterProvider: must have the method getMeter')
  expect(() => instrument(kernel, { attributes: { a: 1 } as never })).toThrow('attributes: must be an object')
})

it('a scope of the store of the active context ends without a trace, whether Node can activate it or not', () => {
  // Channels of Node 25.9 and newer call withScope of a store instead of run.
  const store = activeContextStore() as unknown as { withScope(active: object): { [Symbol.dispose](): void } }
  const before = context.active()
  const key = createContextKey('test')
  const scope = store.withScope(ROOT_CONTEXT.setValue(key, 'inside'))
  const inside = context.active().getValue(key)
  scope[Symbol.dispose]()
  expect([undefined, 'inside']).toContain(inside)
  expect(context.active()).toBe(before)
})
