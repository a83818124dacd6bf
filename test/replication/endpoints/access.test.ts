/** The required permissions of every replication operation, by path and typed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callOf, ENDPOINTS, outcomeOf, STATUSES, WRITES } from './operations.ts'
import { type Cluster, contentOf, World } from './world.ts'

let world: World
let cluster: Cluster
let sudo: string
let all: string

beforeAll(async () => {
  world = new World()
  cluster = await world.open()
  const { policies, tokens, namespaces } = cluster.kernel
  const rule = (more: string) => `path "*" { capabilities = ["create", "read", "update", "delete", "list", "patch"${more}] }`
  await policies.writePolicy({ name: 'sudo', policy: rule(', "sudo"') })
  await policies.writePolicy({ name: 'all', policy: rule('') })
  sudo = (await tokens.createToken({ policies: ['sudo'] })).client_token
  all = (await tokens.createToken({ policies: ['all'] })).client_token
  await namespaces.createNamespace({ name: 'inner' })
})
afterAll(() => world.close())

it('kernel.replication and replication.performance are the same object', () => {
  const { replication } = cluster.kernel
  expect(replication.performance).toBe(replication)
  expect(cluster.kernel.replication).toBe(replication)
  const view = cluster.kernel.as(sudo)
  expect(view.replication.performance.readStatus).toBe(view.replication.readStatus)
})

it('kernel.replication has a method for each replication endpoint', () => {
  const { replication } = cluster.kernel
  const found = new Set<string>()
  for (let level = replication as object; level !== Object.prototype; level = Object.getPrototypeOf(level))
    for (const name of Object.getOwnPropertyNames(level)) found.add(name)
  for (const { method } of ENDPOINTS) expect([...found]).toContain(method)
})

describe.each(ENDPOINTS)('$method', ({ method, verb, path }) => {
  it('fails with status 400 outside of the root namespace', async () => {
    const before = await contentOf(cluster)
    expect((await cluster.send(verb, path, verb === 'POST' ? {} : undefined, undefined, 'inner')).status).toBe(400)
    expect((await cluster.send(verb, `inner/${path}`, verb === 'POST' ? {} : undefined)).status).toBe(400)
    const inner = callOf(cluster.kernel.namespace('inner'), method)
    expect((await outcomeOf(inner())).status).toBe(400)
    expect(await contentOf(cluster)).toEqual(before)
  })

  it('refuses other verbs with status 405', async () => {
    for (const other of ['GET', 'POST', 'DELETE'])
      if (other !== verb) expect((await cluster.send(other, path)).status, other).toBe(405)
  })
})

describe.each(WRITES)('$method', ({ method, path }) => {
  it('fails with status 403 without a token that has sudo', async () => {
    const before = await contentOf(cluster)
    expect((await cluster.send('POST', path, {}, null)).status).toBe(403)
    expect((await cluster.send('POST', path, {}, 's.nobody')).status).toBe(403)
    expect((await cluster.send('POST', path, {}, all)).status).toBe(403)
    expect((await outcomeOf(callOf(cluster.kernel.as(all), method)())).status).toBe(403)
    expect(await contentOf(cluster)).toEqual(before)
  })
})

describe.each(STATUSES)('$method', ({ method, path }) => {
  it('can be called without a token', async () => {
    const { status, body } = await cluster.send('GET', path, undefined, null)
    expect(status).toBe(200)
    expect(body).toHaveProperty('data')
    await callOf(cluster.kernel, method)()
    await callOf(cluster.kernel.as('s.nobody'), method)()
  })
})

it('a policy with only update and sudo permits all replication endpoints that make changes', async () => {
  const otherCluster = await world.open()
  const { policies, tokens, replication } = otherCluster.kernel
  await policies.writePolicy({ name: 'sudo', policy: 'path "sys/replication/*" { capabilities = ["update", "sudo"] }' })
  const { client_token } = await tokens.createToken({ policies: ['sudo'] })
  expect((await otherCluster.send('POST', 'sys/replication/performance/primary/enable', {}, client_token)).status).toBe(200)
  expect((await replication.readStatus()).mode).toBe('primary')
  expect((await otherCluster.kernel.as(client_token).replication.createSecondaryToken({ id: 'b' })).wrap_info).toBeDefined()
})

describe('a kernel that is sealed', () => {
  it('answers all replication requests with status 503', async () => {
    const closed = await world.open()
    const token = closed.kernel.rootToken as string
    await closed.kernel.seal.seal()
    for (const { method, verb, path } of ENDPOINTS) {
      expect((await closed.send(verb, path, verb === 'POST' ? {} : undefined)).status, path).toBe(503)
      expect((await outcomeOf(callOf(closed.kernel, method)())).status, method).toBe(503)
      expect((await outcomeOf(callOf(closed.kernel.as(token), method)())).status, method).toBe(503)
    }
  })
})
