/** The text for Prometheus, read by a strict parser of the format 0.0.4. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PrometheusMetrics, prometheusMetrics } from '../../../src/adapters/metrics-prometheus/index.ts'
import { createDevKernel, createKernel, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { faultyStorage } from '../../../src/testing/index.ts'
import { readMetrics, sampleValue } from './read-metrics.ts'

let kernel: Kernel
let metrics: PrometheusMetrics

beforeEach(async () => {
  kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'hidden-key' })
  metrics = prometheusMetrics(kernel)
})
afterEach(async () => {
  metrics.close()
  await kernel.close()
})

const collected = async () => readMetrics(await metrics.text())

describe('prometheusMetrics', () => {
  it('has the content type of the text format 0.0.4', () => {
    expect(metrics.contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
  })

  it('writes a valid text before the first request', async () => {
    const found = await collected()
    expect(found.get('strongroom_request_duration_seconds')).toMatchObject({ type: 'histogram', samples: [] })
    expect(sampleValue(found, 'strongroom_events_lost_total')).toBe(0)
  })

  it('counts requests in a histogram by engine, operation and error type', async () => {
    const plaintext = new Uint8Array(3)
    for (let n = 0; n < 3; n++) await kernel.transit.encrypt({ name: 'hidden-key', plaintext })
    await expect(kernel.transit.readKey({ name: 'missing' })).rejects.toThrow()
    const found = await collected()
    const encrypt = { engine: 'transit', operation: 'encrypt' }
    const count = 'strongroom_request_duration_seconds_count'
    expect(sampleValue(found, count, encrypt)).toBe(3)
    expect(sampleValue(found, count, { engine: 'transit', operation: 'readKey', error_type: 'ERR_NOT_FOUND' })).toBe(1)
    const buckets = found
      .get('strongroom_request_duration_seconds')
      ?.samples.filter(({ name, labels }) => name.endsWith('_bucket') && labels['operation'] === 'encrypt')
    const counts = buckets?.map(({ value }) => value) ?? []
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect(buckets?.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 3 })
    expect(sampleValue(found, 'strongroom_request_duration_seconds_sum', encrypt)).toBeGreaterThan(0)
  })

  it('counts events by type, and shows the status of the kernel', async () => {
    await kernel.transit.rotateKey({ name: 'hidden-key' })
    await kernel.transit.encrypt({ name: 'hidden-key', plaintext: new Uint8Array(3) })
    const found = await collected()
    expect(sampleValue(found, 'strongroom_events_total', { event: 'key.rotated' })).toBe(1)
    expect(sampleValue(found, 'strongroom_kernel_state', { state: 'open' })).toBe(1)
    expect(sampleValue(found, 'strongroom_kernel_state', { state: 'sealed' })).toBe(0)
    expect(sampleValue(found, 'strongroom_storage_available')).toBe(1)
    const { cache } = await kernel.status()
    expect(sampleValue(found, 'strongroom_cache_usage_bytes', { cache: 'keys' })).toBe(cache.keys.bytes)
    expect(sampleValue(found, 'strongroom_cache_misses_total', { cache: 'records' })).toBe(cache.records.misses)
    expect(sampleValue(found, 'strongroom_work_due', { lane: 'rotation' })).toBe(0)
  })

  it('counts only the requests of its kernel, and none after close', async () => {
    const other = await createDevKernel()
    await other.transit.createKey({ name: 'k' })
    await kernel.transit.readKey({ name: 'hidden-key' })
    metrics.close()
    metrics.close()
    await kernel.transit.readKey({ name: 'hidden-key' })
    const counts = (await collected())
      .get('strongroom_request_duration_seconds')
      ?.samples.filter(({ name }) => name.endsWith('_count'))
    expect(counts?.map(({ labels, value }) => [labels['operation'], value])).toEqual([['readKey', 1]])
    await other.close()
  })

  it('adds the labels of the application to every sample, with their characters escaped', async () => {
    const labelled = prometheusMetrics(kernel, { labels: { app: 'a "quoted"\\ name\nin two lines' } })
    await kernel.transit.readKey({ name: 'hidden-key' })
    const found = readMetrics(await labelled.text())
    labelled.close()
    const samples = [...found.values()].flatMap((metric) => metric.samples)
    expect(samples.length).toBeGreaterThan(20)
    expect(new Set(samples.map(({ labels }) => labels['app']))).toEqual(new Set(['a "quoted"\\ name\nin two lines']))
  })

  it('refuses labels that Prometheus does not allow, or that its own metrics have', () => {
    for (const name of ['a-b', '1a', '__a', '', 'le', 'engine', 'error_type'])
      expect(() => prometheusMetrics(kernel, { labels: { [name]: 'x' } })).toThrow('labels: names must be valid')
    expect(() => prometheusMetrics(kernel, { labels: { a: 1 } as never })).toThrow('labels: values must be strings')
    expect(() => prometheusMetrics({} as never)).toThrow('kernel: must be a kernel')
  })

  it('writes a valid text while the kernel is sealed, while the store does not answer, and after close', async () => {
    let answers = true
    const storage = faultyStorage(memoryStorage(), () => (answers ? undefined : 'error'))
    const own = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true })
    const of = prometheusMetrics(own)
    answers = false
    expect(sampleValue(readMetrics(await of.text()), 'strongroom_storage_available')).toBe(0)
    answers = true
    await own.seal.seal()
    expect(sampleValue(readMetrics(await of.text()), 'strongroom_kernel_state', { state: 'sealed' })).toBe(1)
    await own.close()
    expect(sampleValue(readMetrics(await of.text()), 'strongroom_kernel_state', { state: 'closed' })).toBe(1)
    of.close()
  })

  it('never shows the name of a key, a path, a token or a value', async () => {
    await kernel.kv.writeSecret({ path: 'hidden/path', data: { hidden: 'hidden' } })
    const headers = { 'X-Service-Token': kernel.rootToken }
    await kernel.handle({ method: 'GET', path: '/v1/secret/hidden/path', headers })
    await kernel.handle({ method: 'GET', path: '/v1/hidden/hidden', headers })
    await expect(kernel.as('hidden').transit.readKey({ name: 'hidden' })).rejects.toThrow()
    const text = await metrics.text()
    expect(text).not.toContain('hidden')
    expect(text).not.toContain(kernel.rootToken)
  })
})
