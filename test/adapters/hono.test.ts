/** A kernel in an application of Hono, by its fetch handler. */
import { Hono } from 'hono'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fetchHandler } from '../../src/adapters/http/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'

let kernel: Kernel
beforeEach(async () => {
  kernel = await createDevKernel()
})
afterEach(() => kernel.close())

const headers = () => ({ 'X-Service-Token': kernel.rootToken as string })

it('an application of Hono serves the API, and its own routes beside it', async () => {
  const app = new Hono()
  const serve = fetchHandler(kernel)
  app.all('/v1/*', ({ req }) => serve(req.raw))
  app.get('/orders', (c) => c.text('orders'))
  const written = await app.request('/v1/secret/app', { method: 'POST', headers: headers(), body: '{"a":"1"}' })
  expect(written.status).toBe(204)
  const read = await app.request('/v1/secret/app', { headers: headers() })
  expect(await read.json()).toMatchObject({ data: { a: '1' } })
  const listed = await app.request('/v1/secret/', { method: 'LIST', headers: headers() })
  expect(await listed.json()).toMatchObject({ data: { keys: ['app'] } })
  expect((await app.request('/v1/secret/app')).status).toBe(403)
  expect(await (await app.request('/orders')).text()).toBe('orders')
})

it('an application of Hono serves the API below a prefix', async () => {
  await kernel.kv.writeSecret({ path: 'app', data: { a: '1' } })
  const app = new Hono()
  const serve = fetchHandler(kernel, { prefix: '/kms' })
  app.all('/kms/v1/*', ({ req }) => serve(req.raw))
  const read = await app.request('/kms/v1/secret/app', { headers: headers() })
  expect(await read.json()).toMatchObject({ data: { a: '1' } })
})
