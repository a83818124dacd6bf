/** The endpoints of path filters, by both views: valid requests, and refused ones, which change nothing. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callOf, FILTERS, type Method, outcomeOf } from './operations.ts'
import { BASE, type Cluster, contentOf, tokenFor, World } from './world.ts'

const FILTER = `${BASE}/primary/paths-filter`

let world: World
let primary: Cluster
let secondary: Cluster

async function open(): Promise<void> {
  world = new World()
  primary = await world.primary()
  secondary = await world.secondary(primary, 'b')
}

/** The id of the secondary's own cluster. */
async function clusterOf({ kernel }: Cluster): Promise<string> {
  const { body } = await kernel.handle({ method: 'GET', path: '/v1/sys/health' })
  return (body as { readonly cluster_id: string }).cluster_id
}

describe('a path filter', () => {
  beforeEach(open)
  afterEach(() => world.close())

  it("can be written, read and deleted by the secondary's id and by its cluster id", async () => {
    const cluster = await clusterOf(secondary)
    expect(cluster).toMatch(/^[0-9a-f-]{36}$/)
    for (const id of ['b', cluster]) {
      expect((await primary.send('GET', `${FILTER}/${id}`)).status).toBe(404)
      expect(
        (await primary.send('POST', `${FILTER}/${id}`, { mode: 'deny', paths: ['secret', 'team/', 'secret/'] })).status,
      ).toBe(204)
      for (const same of ['b', cluster])
        expect(await primary.send('GET', `${FILTER}/${same}`)).toMatchObject({
          status: 200,
          body: { data: { mode: 'deny', paths: ['secret/', 'team/'] } },
        })
      for (let twice = 0; twice < 2; twice++) expect((await primary.send('DELETE', `${FILTER}/${id}`)).status).toBe(204)
    }
  })

  it('has the mode "allow" by default', async () => {
    await primary.send('POST', `${FILTER}/b`, {})
    expect(await primary.kernel.replication.readPathsFilter({ id: 'b' })).toEqual({ mode: 'allow', paths: [] })
    const { dynamic_filtered_mounts: all } = await primary.kernel.replication.readDynamicFilter({ id: 'b' })
    expect(all).toEqual(['auth/orchestrator/', 'cloud/', 'database/', 'secret/', 'transit/'])
    await primary.kernel.replication.writePathsFilter({ id: 'b', paths: ['secret'] })
    const { dynamic_filtered_mounts: others } = await primary.kernel.replication.readDynamicFilter({ id: 'b' })
    expect(others).toEqual(['auth/orchestrator/', 'cloud/', 'database/', 'transit/'])
  })

  it('is shown by primary and secondary with the same lists of excluded mounts and namespaces', async () => {
    const { kernel } = primary
    await kernel.namespaces.createNamespace({ name: 'ns1' })
    await kernel.namespace('ns1').namespaces.createNamespace({ name: 'ns2' })
    await kernel.namespace('ns1/ns2').mounts.createMount({ path: 'secret', type: 'kv' })
    await kernel.namespace('ns1').mounts.createMount({ path: 'kv', type: 'kv' })
    await kernel.mounts.createMount({ path: 'own', type: 'kv', local: true })
    await kernel.replication.writePathsFilter({ id: 'b', mode: 'deny', paths: ['ns1', 'later', 'own'] })
    const both = async (mounts: readonly string[], namespaces: readonly string[]) => {
      const data = { dynamic_filtered_mounts: mounts, dynamic_filtered_namespaces: namespaces }
      await secondary.kernel.tick()
      for (const id of ['b', await clusterOf(secondary)]) {
        expect(await primary.send('GET', `${BASE}/primary/dynamic-filter/${id}`)).toMatchObject({ status: 200, body: { data } })
        expect(await secondary.send('GET', `${BASE}/secondary/dynamic-filter/${id}`)).toMatchObject({
          status: 200,
          body: { data },
        })
      }
    }
    await both(['ns1/kv/', 'ns1/ns2/secret/'], ['ns1/', 'ns1/ns2/'])
    await kernel.mounts.createMount({ path: 'later', type: 'kv' })
    await both(['later/', 'ns1/kv/', 'ns1/ns2/secret/'], ['ns1/', 'ns1/ns2/'])
    await kernel.mounts.moveMount({ from: 'later', to: 'sooner' })
    await kernel.namespace('ns1').mounts.deleteMount({ path: 'kv' })
    await both(['ns1/ns2/secret/'], ['ns1/', 'ns1/ns2/'])
  })

  it('is read from the primary by a secondary that is called for it, so it is unavailable while the primary is sealed', async () => {
    await primary.kernel.replication.writePathsFilter({ id: 'b', mode: 'deny', paths: ['secret'] })
    await secondary.kernel.tick()
    await primary.kernel.seal.seal()
    expect((await secondary.send('GET', `${BASE}/secondary/dynamic-filter/b`)).status).toBe(503)
  })

  it('can be written before its secondary joins, and is deleted when the secondary is revoked or gets another id', async () => {
    await primary.kernel.replication.createSecondaryToken({ id: 'c' })
    expect((await primary.send('POST', `${FILTER}/c`, { mode: 'deny', paths: ['secret'] })).status).toBe(204)
    await primary.kernel.replication.revokeSecondary({ id: 'c' })
    const third = await world.secondary(primary, 'c')
    expect((await primary.send('GET', `${FILTER}/c`)).status).toBe(404)
    await primary.kernel.replication.writePathsFilter({ id: 'c', mode: 'deny', paths: ['secret'] })
    await third.kernel.tick()
    expect((await outcomeOf(third.kernel.kv.listSecrets())).status).toBe(404)
    await third.kernel.replication.updatePrimary({ token: await tokenFor(primary, 'd') })
    await third.kernel.tick()
    expect((await outcomeOf(third.kernel.kv.listSecrets())).status).toBe(200)
    // Its cluster has two secondary ids now, so the cluster id is ambiguous.
    expect((await primary.send('POST', `${FILTER}/${await clusterOf(third)}`, {})).status).toBe(400)
  })
})

type Body = Readonly<Record<string, unknown>> | string

describe('the endpoints of path filters', () => {
  beforeAll(async () => {
    await open()
    await primary.kernel.namespaces.createNamespace({ name: 'inner' })
    await primary.kernel.policies.writePolicy({
      name: 'all',
      policy: 'path "*" { capabilities = ["create", "read", "update", "delete", "list"] }',
    })
  })
  afterAll(() => world.close())

  it.each<readonly [string, Body]>([
    ['an unknown mode', { mode: 'blacklist' }],
    ['an empty mode', { mode: '' }],
    ['a mode in a list', { mode: ['deny'] }],
    ['paths that are an object', { mode: 'deny', paths: { a: 1 } }],
    ['paths that are a text', { mode: 'deny', paths: 'secret/' }],
    ['paths that are a number', { mode: 'deny', paths: 7 }],
    ['a path that is a number', { mode: 'deny', paths: ['secret/', 1] }],
    ['a path that is null', { mode: 'deny', paths: [null] }],
    ['a path that is a list', { mode: 'deny', paths: [['secret/']] }],
    ['an empty path', { mode: 'deny', paths: [''] }],
    ['a path of slashes', { mode: 'deny', paths: ['///'] }],
    ['an empty segment', { mode: 'deny', paths: ['a//b'] }],
    ['a path with ..', { mode: 'deny', paths: ['a/../b'] }],
    ['a wildcard', { mode: 'deny', paths: ['sec*'] }],
    ['a + segment', { mode: 'deny', paths: ['a/+/b'] }],
    ['a control character', { mode: 'deny', paths: ['a\u0000'] }],
    ['a huge path', { mode: 'deny', paths: ['x'.repeat(900_000)] }],
    ['too many paths', { mode: 'deny', paths: Array.from({ length: 1001 }, (_, n) => `p${n}`) }],
    ['very many paths', { mode: 'deny', paths: new Array<string>(100_000).fill('a') }],
    [
      'paths that are too long together',
      { mode: 'deny', paths: Array.from({ length: 100 }, (_, n) => `${n}/${'x'.repeat(700)}`) },
    ],
    ['sys', { mode: 'deny', paths: ['sys/'] }],
    ['a part of sys', { mode: 'deny', paths: ['sys/policies/'] }],
    ['identity', { mode: 'deny', paths: ['identity'] }],
    ['cubbyhole', { mode: 'allow', paths: ['/cubbyhole/'] }],
    ['auth/token', { mode: 'deny', paths: ['auth/token'] }],
    ['all auth methods', { mode: 'deny', paths: ['auth/'] }],
    ['sys/ of a namespace', { mode: 'deny', paths: ['inner/sys/'] }],
    ['auth/token of a namespace', { mode: 'deny', paths: ['inner/auth/token/'] }],
    ['a body that is not an object', '[]'],
    ['a body that is not JSON', '{'],
  ])('refuse %s without a change', async (_, body) => {
    const before = await contentOf(primary)
    const answer = await primary.send('POST', `${FILTER}/b`, body)
    expect([400, 413]).toContain(answer.status)
    expect(JSON.stringify(answer.body).length).toBeLessThan(2000)
    expect(await contentOf(primary)).toEqual(before)
    if (typeof body === 'string') return
    const thrown: unknown = await callOf(
      primary.kernel,
      'writePathsFilter',
    )({ id: 'b', ...body }).then(
      () => 'it was taken',
      (error: unknown) => error,
    )
    if (!(thrown instanceof TypeError)) expect(thrown).toMatchObject({ status: 400 })
    expect(await contentOf(primary)).toEqual(before)
  })

  it('refuse a path that is not valid Unicode', async () => {
    const { replication } = primary.kernel
    expect((await outcomeOf(replication.writePathsFilter({ id: 'b', mode: 'deny', paths: ['a\ud800'] }))).status).toBe(400)
  })

  it.each(['nobody', 'x'.repeat(5000), '00000000-0000-4000-8000-000000000000', 'a/b', 'é', '%00', '__proto__'])(
    'refuse an unknown id: %.20s',
    async (id) => {
      const path = id === '%00' ? id : encodeURI(id)
      const known = id === '%00' ? 'a\0' : id
      const before = await contentOf(primary)
      expect((await primary.send('POST', `${FILTER}/${path}`, {})).status).toBe(400)
      expect([400, 404]).toContain((await primary.send('GET', `${FILTER}/${path}`)).status)
      expect([400, 404]).toContain((await primary.send('GET', `${BASE}/primary/dynamic-filter/${path}`)).status)
      expect([400, 404]).toContain((await secondary.send('GET', `${BASE}/secondary/dynamic-filter/${path}`)).status)
      expect([204, 400]).toContain((await primary.send('DELETE', `${FILTER}/${path}`)).status)
      expect((await outcomeOf(primary.kernel.replication.writePathsFilter({ id: known }))).status).toBe(400)
      expect(await contentOf(primary)).toEqual(before)
    },
  )

  describe.each(FILTERS)('$method', ({ method, verb, path }) => {
    const body = verb === 'POST' ? {} : undefined

    it('requires a token with sudo in the root namespace', async () => {
      const { tokens } = primary.kernel
      const { client_token } = await tokens.createToken({ policies: ['all'] })
      const before = await contentOf(primary)
      for (const token of [null, 's.nobody', client_token]) expect((await primary.send(verb, path, body, token)).status).toBe(403)
      expect((await outcomeOf(callOf(primary.kernel.as(client_token), method)({ id: 'b' }))).status).toBe(403)
      expect((await primary.send(verb, path, body, undefined, 'inner')).status).toBe(400)
      expect((await outcomeOf(callOf(primary.kernel.namespace('inner'), method)({ id: 'b' }))).status).toBe(400)
      expect(await contentOf(primary)).toEqual(before)
    })

    it('is refused in the other replication role, and without replication', async () => {
      const writes: readonly Method[] = ['writePathsFilter', 'deletePathsFilter']
      const others = method === 'readOwnDynamicFilter' ? [primary, await world.open()] : [secondary, await world.open()]
      for (const cluster of others) {
        const before = await contentOf(cluster)
        const expected = writes.includes(method) ? 400 : 404
        expect((await cluster.send(verb, path, body)).status).toBe(expected)
        expect((await outcomeOf(callOf(cluster.kernel, method)({ id: 'b' }))).status).toBe(expected)
        expect(await contentOf(cluster)).toEqual(before)
      }
    })
  })
})
