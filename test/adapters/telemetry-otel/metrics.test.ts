/** The metrics of a kernel, with the SDK of OpenTelemetry. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { instrument, type KernelInstrumentation } from '../../../src/adapters/telemetry-otel/index.ts'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { faultyStorage } from '../../../src/testing/index.ts'

let kernel: Kernel
let telemetry: KernelInstrumentation
let exporter: InMemoryMetricExporter
let meterProvider: MeterProvider

beforeEach(async () => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  })
  kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'hidden-key' })
  telemetry = instrument(kernel, { meterProvider })
})
afterEach(async () => {
  telemetry.disable()
  await meterProvider.shutdown()
  await kernel.close()
})

/** Collects the metrics now, by name. */
async function collected() {
  exporter.reset()
  await meterProvider.forceFlush()
  const [{ scopeMetrics = [] } = {}] = exporter.getMetrics()
  return new Map(scopeMetrics.flatMap(({ metrics }) => metrics).map((metric) => [metric.descriptor.name, metric]))
}

type Found = Awaited<ReturnType<typeof collected>>

const valuesOf = (found: Found, name: string) =>
  (found.get(name)?.dataPoints ?? []).map(({ attributes, value }) => [Object.values(attributes).join(' '), value])

it('the histogram of request durations counts requests by engine, operation and error type', async () => {
  const plaintext = new Uint8Array(3)
  for (let n = 0; n < 3; n++) await kernel.transit.encrypt({ name: 'hidden-key', plaintext })
  await expect(kernel.transit.readKey({ name: 'missing' })).rejects.toThrow()
  await kernel.handle({ method: 'GET', path: '/v1/transit/keys/hidden-key' })
  const metric = (await collected()).get('strongroom.request.duration')
  expect(metric?.descriptor).toMatchObject({ unit: 's' })
  expect(metric?.dataPoints.map(({ attributes, value }) => [attributes, (value as { readonly count: number }).count])).toEqual([
    [{ 'strongroom.engine': 'transit', 'strongroom.operation': 'encrypt' }, 3],
    [{ 'strongroom.engine': 'transit', 'strongroom.operation': 'readKey', 'error.type': 'ERR_NOT_FOUND' }, 1],
    [{ 'strongroom.engine': 'transit', 'strongroom.operation': 'readKey', 'error.type': '403' }, 1],
  ])
  const [point] = metric?.dataPoints ?? []
  const { buckets, sum } = (point as { value: unknown }).value as { buckets: { boundaries: number[] }; sum: number }
  expect(buckets.boundaries).toEqual([...buckets.boundaries].sort((a, b) => a - b))
  expect(buckets.boundaries).toEqual(expect.arrayContaining([0.0001, 0.005, 0.01, 1, 10]))
  expect(sum).toBeGreaterThan(0)
})

it('the counter of events counts by type', async () => {
  await kernel.transit.rotateKey({ name: 'hidden-key' })
  await kernel.transit.rotateKey({ name: 'hidden-key' })
  await kernel.kv.writeSecret({ path: 'hidden', data: { hidden: 1 } })
  const found = valuesOf(await collected(), 'strongroom.events')
  expect(found).toContainEqual(['key.rotated', 2])
})

it('gauges show the state, the caches and the background work of the kernel', async () => {
  const plaintext = new Uint8Array(3)
  for (let n = 0; n < 5; n++) await kernel.transit.encrypt({ name: 'hidden-key', plaintext })
  await kernel.tokens.createToken({ policies: ['default'], ttl: 60 })
  const found = await collected()
  expect(valuesOf(found, 'strongroom.kernel.state')).toEqual([
    ['open', 1],
    ['sealed', 0],
    ['uninitialized', 0],
    ['closed', 0],
  ])
  expect(valuesOf(found, 'strongroom.storage.available')).toEqual([['', 1]])
  expect(valuesOf(found, 'strongroom.cache.age')).toEqual([['', expect.any(Number)]])
  const { cache } = await kernel.status()
  expect(valuesOf(found, 'strongroom.cache.hits')).toEqual([
    ['keys', cache.keys.hits],
    ['records', cache.records.hits],
  ])
  expect(valuesOf(found, 'strongroom.cache.usage')).toEqual([['keys', cache.keys.bytes]])
  expect(valuesOf(found, 'strongroom.work.scheduled')).toContainEqual(['revocation', 1])
  expect(valuesOf(found, 'strongroom.work.due')).toContainEqual(['lease', 0])
  expect(valuesOf(found, 'strongroom.work.failed')).toContainEqual(['lease', 0])
  await kernel.seal.seal()
  expect(valuesOf(await collected(), 'strongroom.kernel.state')).toContainEqual(['sealed', 1])
})

it('the gauge of available storage is 0 while the store of a kernel does not answer', async () => {
  let answers = true
  const storage = faultyStorage(memoryStorage(), () => (answers ? undefined : 'error'))
  const own = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
  const second = instrument(own, { meterProvider, attributes: { own: 'yes' } })
  answers = false
  const points = (await collected()).get('strongroom.storage.available')?.dataPoints ?? []
  answers = true
  const values = new Map(points.map(({ attributes, value }) => [attributes['own'], value]))
  expect([values.get(undefined), values.get('yes')]).toEqual([1, 0])
  second.disable()
  await own.close()
})

it('a disabled instrumentation reports nothing more', async () => {
  await kernel.transit.readKey({ name: 'hidden-key' })
  telemetry.disable()
  const counts = (found: Found) =>
    found.get('strongroom.request.duration')?.dataPoints.map(({ value }) => (value as { readonly count: number }).count)
  const before = counts(await collected())
  await kernel.transit.readKey({ name: 'hidden-key' })
  const after = await collected()
  expect(counts(after)).toEqual(before)
  expect(after.has('strongroom.kernel.state')).toBe(false)
})

it('no metric contains the name of a key, a path or a token', async () => {
  await kernel.kv.writeSecret({ path: 'hidden/path', data: { hidden: 'hidden' } })
  const headers = { 'X-Service-Token': kernel.rootToken }
  await kernel.handle({ method: 'GET', path: '/v1/hidden/hidden', headers })
  await kernel.handle({ method: 'GET', path: '/v1/secret/hidden/path', headers })
  const shown = JSON.stringify([...(await collected()).values()])
  expect(shown).not.toContain('hidden')
  expect(shown).not.toContain(kernel.rootToken)
})
