/** Messages on `node:diagnostics_channel` contain names of requests and events, and no values. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDevKernel, type Kernel, type TracedRequest } from '../../../src/index.ts'

const requests = tracingChannel<unknown, TracedRequest>('strongroom.request')
let kernel: Kernel
let seen: [string, TracedRequest][]
const note = (name: string) => (about: unknown) => void seen.push([name, { ...(about as TracedRequest) }])
const handlers = {
  start: note('start'),
  end: note('end'),
  asyncStart: note('asyncStart'),
  asyncEnd: note('asyncEnd'),
  error: note('error'),
}

beforeEach(async () => {
  kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'k' })
  seen = []
  requests.subscribe(handlers as never)
})
afterEach(async () => {
  requests.unsubscribe(handlers as never)
  await kernel.close()
})

it('the request tracing channel reports the start and end of a typed call', async () => {
  await kernel.transit.encrypt({ name: 'k', plaintext: new TextEncoder().encode('hidden') })
  const { id } = await kernel.status()
  const about = { view: 'typed', verb: 'POST', path: '/encrypt/:name', kernel: id, engine: 'transit', operation: 'encrypt' }
  expect(seen).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'].map((name) => [name, about]))
})

it('the request tracing channel reports the error code of a refused typed call', async () => {
  await expect(kernel.transit.decrypt({ name: 'k', ciphertext: 'x' })).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
  expect(seen.find(([name]) => name === 'error')?.[1]).toMatchObject({ status: 400, code: 'ERR_INVALID_REQUEST' })
  await expect(kernel.transit.decrypt({ name: 5 as never, ciphertext: 'x' })).rejects.toThrow(TypeError)
})

it('the request tracing channel reports a call by path with its status', async () => {
  const headers = { 'X-Service-Token': kernel.rootToken }
  const answer = await kernel.handle({ method: 'GET', path: '/v1/transit/keys/none', headers, query: { a: 'hidden' } })
  expect(answer.status).toBe(404)
  const kernelId = (await kernel.status()).id
  const operation = { kernel: kernelId, engine: 'transit', operation: 'readKey' }
  expect(seen.at(-1)).toEqual([
    'asyncEnd',
    { view: 'path', verb: 'GET', path: '/v1/transit/keys/none', ...operation, status: 404 },
  ])
  await kernel.handle({ method: 'GET', path: '/v1/sys/health' })
  expect(seen.at(-1)?.[1]).toMatchObject({ engine: 'system', operation: 'readHealth', status: 200 })
  const odd = { method: 'GET', headers } as never
  expect((await kernel.handle(odd)).status).toBe(400)
  expect((await kernel.handle(null as never)).status).toBe(400)
})

it('the request tracing channel names the operation of a request to the configuration service', async () => {
  const { id } = await kernel.status()
  await kernel.configsvc.handle({ method: 'GET', path: '/v1/acl/token/self', headers: {} })
  expect(seen.at(-1)?.[1]).toMatchObject({ view: 'path', kernel: id, engine: 'configsvc', operation: expect.any(String) })
})

it('the request tracing channel omits a query string that the caller passed as part of the path', async () => {
  for (const path of [
    '/v1/transit/keys/k?token=hidden',
    '/v1/transit/keys/k?a=hidden?b=hidden',
    '?hidden',
    '/v1/sys/health?x=hidden',
  ])
    expect(
      (await kernel.handle({ method: 'GET', path, headers: { 'X-Service-Token': kernel.rootToken } })).status,
    ).toBeGreaterThan(399)
  expect(JSON.stringify(seen)).not.toContain('hidden')
  expect(seen.at(-1)?.[1]).toMatchObject({ path: '/v1/sys/health' })
})

it('an AsyncLocalStorage that a subscriber binds to the request tracing channel is available during the whole request', async () => {
  const store = new AsyncLocalStorage<string>()
  requests.start.bindStore(store, ({ path }) => path)
  const inside: (string | undefined)[] = []
  const own = await createDevKernel({ ports: { audit: { sinks: { main: async () => void inside.push(store.getStore()) } } } })
  inside.length = 0
  await own.kv.writeSecret({ path: 'a', data: { a: 1 } })
  requests.start.unbindStore(store)
  expect(inside).toEqual(['/*path', '/*path'])
  await own.close()
})

it('the event channel publishes events only while it has subscribers', async () => {
  const events: unknown[] = []
  const listen = (event: unknown) => void events.push(event)
  expect(channel('strongroom.event').hasSubscribers).toBe(false)
  subscribe('strongroom.event', listen)
  await kernel.transit.rotateKey({ name: 'k' })
  unsubscribe('strongroom.event', listen)
  await kernel.transit.rotateKey({ name: 'k' })
  expect(events).toEqual([expect.objectContaining({ type: 'key.rotated', name: 'k', version: 2 })])
})
