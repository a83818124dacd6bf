/** Refused requests, by both views and in every mode. None of them changes anything. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callOf, type Method, outcomeOf, pathOf } from './operations.ts'
import { type Cluster, contentOf, tokenFor, World } from './world.ts'

type Mode = 'disabled' | 'primary' | 'secondary' | 'demoted'

let world: World
let clusters: Readonly<Record<Mode, Cluster>>
let unused: string

const KEY = Buffer.alloc(32, 9).toString('base64')

beforeAll(async () => {
  world = new World()
  const primary = await world.primary()
  await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 1 } })
  const demoted = await world.primary()
  await demoted.kernel.replication.demotePrimary()
  clusters = {
    disabled: await world.open(),
    primary,
    secondary: await world.secondary(primary, 'b'),
    demoted,
  }
  unused = await tokenFor(primary, 'unused', { ttl: '10h' })
  await clusters.disabled.kernel.kv.writeSecret({ path: 'own', data: { a: 1 } })
  await clusters.secondary.kernel.tick()
})
afterAll(() => world.close())

type Members = Readonly<Record<string, unknown>>
type Refused = readonly [what: string, mode: Mode, method: Method, members: () => Members, status: number]

const none = (): Members => ({})
const withToken = (): Members => ({ token: unused })
const named = (): Members => ({ id: 'c' })
const modes = (method: Method, members: () => Members, ...wrong: readonly Mode[]): readonly Refused[] =>
  wrong.map((mode) => ['the wrong mode', mode, method, members, 400])

const LONG = 'a'.repeat(257)

const CASES: readonly Refused[] = [
  ...modes('enablePrimary', none, 'primary', 'secondary', 'demoted'),
  ...modes('demotePrimary', none, 'disabled', 'secondary', 'demoted'),
  ...modes('disablePrimary', none, 'disabled', 'secondary', 'demoted'),
  ...modes('createSecondaryToken', named, 'disabled', 'secondary', 'demoted'),
  ...modes('revokeSecondary', named, 'disabled', 'secondary', 'demoted'),
  ...modes('generatePublicKey', none, 'primary'),
  ...modes('enableSecondary', withToken, 'primary', 'secondary', 'demoted'),
  ...modes('promote', none, 'disabled', 'primary'),
  ...modes('promote', () => ({ force: true }), 'disabled', 'primary'),
  ...modes('disableSecondary', none, 'disabled', 'primary'),
  ...modes('updatePrimary', withToken, 'disabled', 'primary'),
  ['an address that is too long', 'disabled', 'enablePrimary', () => ({ primary_cluster_addr: LONG }), 400],
  ['no id', 'primary', 'createSecondaryToken', none, 400],
  ['an empty id', 'primary', 'createSecondaryToken', () => ({ id: '' }), 400],
  ['an id that is too long', 'primary', 'createSecondaryToken', () => ({ id: LONG }), 400],
  ['an id with too many bytes', 'primary', 'createSecondaryToken', () => ({ id: 'é'.repeat(129) }), 400],
  ['the id of a secondary', 'primary', 'createSecondaryToken', () => ({ id: 'b' }), 400],
  ['the id of an unused token', 'primary', 'createSecondaryToken', () => ({ id: 'unused' }), 400],
  ['a lifetime of zero', 'primary', 'createSecondaryToken', () => ({ id: 'c', ttl: 0 }), 400],
  ['a lifetime of zero as text', 'primary', 'createSecondaryToken', () => ({ id: 'c', ttl: '0s' }), 400],
  ['an invalid lifetime', 'primary', 'createSecondaryToken', () => ({ id: 'c', ttl: 'soon' }), 400],
  ['a negative lifetime', 'primary', 'createSecondaryToken', () => ({ id: 'c', ttl: -5 }), 400],
  ['an invalid key', 'primary', 'createSecondaryToken', () => ({ id: 'c', secondary_public_key: 'key' }), 400],
  ['a key that is too short', 'primary', 'createSecondaryToken', () => ({ id: 'c', secondary_public_key: KEY.slice(4) }), 400],
  ['a key that is too long', 'primary', 'createSecondaryToken', () => ({ id: 'c', secondary_public_key: `AAAA${KEY}` }), 400],
  [
    'a key of low order',
    'primary',
    'createSecondaryToken',
    () => ({ id: 'c', secondary_public_key: Buffer.alloc(32).toString('base64') }),
    400,
  ],
  ['an unknown forward value', 'primary', 'createSecondaryToken', () => ({ id: 'c', forward: 'all' }), 400],
  ['no id', 'primary', 'revokeSecondary', none, 400],
  ['no token', 'disabled', 'enableSecondary', none, 400],
  ['an empty token', 'disabled', 'enableSecondary', () => ({ token: '' }), 400],
  ['an address that is too long', 'disabled', 'enableSecondary', () => ({ token: unused, primary_api_addr: LONG }), 400],
  [
    'an address where nothing listens',
    'disabled',
    'enableSecondary',
    () => ({ token: unused, primary_api_addr: 'nowhere' }),
    502,
  ],
  ['an active primary', 'secondary', 'promote', none, 400],
  ['an address that is too long', 'secondary', 'promote', () => ({ force: true, primary_cluster_addr: LONG }), 400],
  ['neither token nor addresses', 'secondary', 'updatePrimary', none, 400],
  ['no addresses', 'secondary', 'updatePrimary', () => ({ update_primary_addrs: [] }), 400],
  ['both token and addresses', 'secondary', 'updatePrimary', () => ({ token: unused, update_primary_addrs: ['a'] }), 400],
  ['a blank token and addresses', 'secondary', 'updatePrimary', () => ({ token: '', update_primary_addrs: ['a'] }), 400],
  ['one address that is too long', 'secondary', 'updatePrimary', () => ({ update_primary_addrs: ['a', LONG] }), 400],
  ['too many addresses', 'secondary', 'updatePrimary', () => ({ update_primary_addrs: Array(33).fill('a') }), 400],
  ['only addresses where nothing listens', 'secondary', 'updatePrimary', () => ({ update_primary_addrs: ['a', 'b'] }), 502],
  [
    'a token whose primary is unreachable',
    'secondary',
    'updatePrimary',
    () => ({ token: unused, primary_api_addr: 'nowhere' }),
    502,
  ],
  ['addresses although no primary is known', 'demoted', 'updatePrimary', () => ({ update_primary_addrs: ['a'] }), 400],
]

describe.each(CASES)('a request with %s (%s cluster, method %s)', (_, mode, method, members, status) => {
  const refused = async (ask: (cluster: Cluster) => Promise<unknown>): Promise<void> => {
    const before = await Promise.all(Object.values(clusters).map(contentOf))
    await ask(clusters[mode])
    expect(await Promise.all(Object.values(clusters).map(contentOf))).toEqual(before)
    expect((await clusters[mode].kernel.replication.readStatus()).mode).toBe(mode === 'demoted' ? 'secondary' : mode)
  }

  it(`is refused by path with status ${status}, without a change`, () =>
    refused(async (cluster) => {
      const answer = await cluster.send('POST', pathOf(method), members())
      expect(answer.status).toBe(status)
      expect(answer.body?.['errors']).toEqual([expect.stringMatching(/./)])
      // Errors do not repeat what the caller sent.
      expect(JSON.stringify(answer.body)).not.toContain(unused)
    }))

  it(`is refused as a typed call with status ${status}, without a change`, () =>
    refused(async ({ kernel }) => {
      expect((await outcomeOf(callOf(kernel, method)(members()))).status).toBe(status)
    }))
})

it('after all refused requests the clusters are unchanged and the unused token is still valid', async () => {
  const { primary, secondary, disabled } = clusters
  await secondary.kernel.tick()
  const read = await secondary.kernel.kv.readSecret({ path: 'kept' })
  expect(read.data).toEqual({ a: 1 })
  expect((await disabled.kernel.kv.readSecret({ path: 'own' })).data).toEqual({ a: 1 })
  expect((await primary.kernel.replication.readStatus()).known_secondaries).toEqual(['b', 'unused'])
  await disabled.kernel.replication.enableSecondary({ token: unused })
  await disabled.kernel.tick()
  expect((await disabled.kernel.kv.readSecret({ path: 'kept' })).data).toEqual({ a: 1 })
})
