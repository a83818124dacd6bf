/**
 * The status codes of Vault's API, from real requests. Standby (429), replication (472 and 473) and upstream failures (502) are tested
 * elsewhere.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, type KernelRequest, keySeal, memoryStorage } from '../../../src/index.ts'
import { fastClock } from '../../fixtures/fast-clock.ts'

let open: Kernel
let sealed: Kernel
let uninitialized: Kernel
let marked: Kernel

beforeAll(async () => {
  // A request waits 2 seconds of kernel time for an index that is not reached.
  open = await createDevKernel({ clock: fastClock(Date.now(), 20) })
  await open.kv.writeSecret({ path: 'app/db', data: { user: 'ann' } })
  sealed = await createDevKernel()
  await sealed.seal.seal()
  uninitialized = await createKernel({ storage: memoryStorage(), seal: keySeal(new Uint8Array(32)) })
  marked = await createDevKernel({ requireRequestHeader: true })
})
afterAll(() => Promise.all([open, sealed, uninitialized, marked].map((kernel) => kernel.close())))

type Case = readonly [
  what: string,
  status: number,
  kernel: () => Kernel,
  request: Omit<KernelRequest, 'headers'> & { headers?: object },
]

const get = (path: string, more: object = {}) => ({ method: 'GET', path: `/v1/${path}`, ...more })
const post = (path: string, body: unknown, more: object = {}) => ({ method: 'POST', path: `/v1/${path}`, body, ...more })

const CASES: readonly Case[] = [
  ['success with data', 200, () => open, get('secret/app/db')],
  ['success, no body', 204, () => open, post('secret/b', { v: 1 })],
  ['success with warnings, no body', 200, () => open, post('sys/policies/acl/Upper', { policy: 'path "a" {}' })],
  ['invalid data', 400, () => open, post('secret/b', {})],
  ['missing data', 400, () => open, post('transit/encrypt/k', {})],
  ['invalid JSON', 400, () => open, post('secret/b', '{')],
  ['no token', 403, () => open, get('secret/app/db', { headers: { 'X-Service-Token': '' } })],
  ['an unknown token', 403, () => open, get('secret/app/db', { headers: { 'X-Service-Token': 's.nobody' } })],
  ['HEAD without a token', 403, () => open, { method: 'HEAD', path: '/v1/secret/app/db', headers: { 'X-Service-Token': '' } }],
  ['an unknown mount', 404, () => open, get('nowhere/a')],
  ['the root of the API', 404, () => open, get('')],
  ['the root of the API with an unknown token', 403, () => open, get('', { headers: { 'X-Service-Token': 's.nobody' } })],
  ['an unknown path of an engine', 404, () => open, get('transit/nothing')],
  ['a missing secret', 404, () => open, get('secret/none')],
  ['an empty list', 404, () => open, { method: 'LIST', path: '/v1/secret/none' }],
  ['a path parameter that ends in a period', 404, () => open, post('transit/keys/k.', {})],
  ['a policy name that ends in a period', 404, () => open, post('sys/policies/acl/p.', { policy: 'path "a" {}' })],
  ['an unknown namespace', 404, () => open, get('secret/app/db', { headers: { 'X-Service-Namespace': 'none' } })],
  ['a path outside of the API', 404, () => open, { method: 'GET', path: '/v2/secret/a' }],
  ['a verb that the path lacks', 405, () => open, get('transit/encrypt/k')],
  ['an unknown verb', 405, () => open, { method: 'BREW', path: '/v1/secret/a' }],
  ['an index that is not reached', 412, () => open, get('secret/app/db', { headers: { 'X-Service-Index': '999999999' } })],
  ['a missing X-Service-Request header', 412, () => marked, get('secret/app/db')],
  ['a body that is too large', 413, () => open, post('secret/b', Buffer.alloc(33_554_433, 0x20))],
  ['a PATCH with another media type', 415, () => open, { method: 'PATCH', path: '/v1/sys/namespaces/a', body: {} }],
  ['health before initialization', 501, () => uninitialized, get('sys/health')],
  ['another request before initialization', 503, () => uninitialized, get('secret/a')],
  ['health while sealed', 503, () => sealed, get('sys/health')],
  ['another request while sealed', 503, () => sealed, get('secret/a')],
  ['health when open', 200, () => open, get('sys/health')],
]

it.each(CASES)('kernel.handle answers for the case "%s" with %i', async (_, status, kernel, { headers = {}, ...request }) => {
  const token = kernel().rootToken ?? ''
  const answer = await kernel().handle({ ...request, headers: { 'X-Service-Token': token, ...headers } })
  expect(answer.status).toBe(status)
  const isHealth = request.path === '/v1/sys/health'
  if (status >= 400 && !isHealth) expect((answer.body as { errors: unknown }).errors).toBeInstanceOf(Array)
  if (status === 204) expect(answer.body).toBeUndefined()
})

it.each(['GET', 'LIST', 'POST', 'PUT', 'DELETE'])(
  'kernel.handle names the empty route in its refusal of %s /v1/',
  async (method) => {
    const { body } = await open.handle({ method, path: '/v1/', headers: { 'X-Service-Token': open.rootToken } })
    expect(body).toEqual({ errors: ['no handler for route "". route entry not found.'] })
  },
)

it('a kernel with requireRequestHeader accepts a request with the header X-Service-Request', async () => {
  const headers = { 'X-Service-Token': marked.rootToken!, 'x-service-request': 'true' }
  expect((await marked.handle({ method: 'LIST', path: '/v1/sys/policies/acl', headers })).status).toBe(200)
})

it('kernel.handle answers 200 if X-Service-Index contains the index of an earlier answer', async () => {
  const headers = { 'X-Service-Token': open.rootToken! }
  const written = await open.handle({ method: 'POST', path: '/v1/secret/own', headers, body: { v: 1 } })
  const index = written.headers['X-Service-Index']!
  const read = await open.handle({ method: 'GET', path: '/v1/secret/own', headers: { ...headers, 'X-Service-Index': index } })
  expect(read.status).toBe(200)
})
