/**
 * Hostile values in every parameter of every operation, by both views and in every mode: refused with status 4xx, or with 502 and 503 if
 * the primary must be called, without a change. The cases are generated from the definitions, so new parameters are included.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replicationOperations } from '../../../src/sys/replication/operations.ts'
import { HUGE_TOKENS, hostileFor, jwt, WRONG } from './hostile-values.ts'
import { callOf, endpointOf, type Method, outcomeOf, pathOf } from './operations.ts'
import { type Cluster, contentOf, tokenFor, World } from './world.ts'

type Mode = 'disabled' | 'primary' | 'secondary'

let world: World
let clusters: Readonly<Record<Mode, Cluster>>

beforeAll(async () => {
  world = new World()
  const primary = await world.primary()
  await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 1 } })
  clusters = { disabled: await world.open(), primary, secondary: await world.secondary(primary, 'b') }
  await clusters.secondary.kernel.tick()
})
afterAll(() => world.close())

type Members = Readonly<Record<string, unknown>>

type Case = readonly [what: string, method: Method, members: Members]

/** Operations with an id in their path have tests in filters.test.ts. */
const OPERATIONS = Object.entries(replicationOperations).filter(([, { path }]) => !path.endsWith('/+id'))

const CASES: readonly Case[] = OPERATIONS.flatMap(([method, { fields }]) =>
  Object.entries(fields).flatMap(([name, { schema }]) =>
    hostileFor(schema['type']).map(([what, value]): Case => [`${name}: ${what}`, method as Method, { [name]: value }]),
  ),
)

/** Valid values for the other parameters. */
const GOOD: Readonly<Partial<Record<Method, Members>>> = {
  createSecondaryToken: { id: 'c' },
  enableSecondary: { token: jwt({ addr: 'nowhere', key: '09'.repeat(32) }) },
  updatePrimary: { update_primary_addrs: ['nowhere'] },
}

const MODES: Readonly<Partial<Record<Method, Mode>>> = {
  enablePrimary: 'disabled',
  createSecondaryToken: 'primary',
  revokeSecondary: 'primary',
  enableSecondary: 'disabled',
  promote: 'secondary',
  updatePrimary: 'secondary',
  readLostWrites: 'secondary',
  reindex: 'primary',
}

const membersOf = (method: Method, members: Members): Members => {
  const good = method === 'updatePrimary' && 'token' in members ? {} : GOOD[method]
  return { ...good, ...members }
}

/** Ids and addresses may be any text. */
const TEXT_LIKE_ANY = new Set(['primary_cluster_addr', 'id'])

const isAccepted = (what: string, method: Method): boolean => {
  const [name = '', value = ''] = what.split(': ')
  if (WRONG.some(([wrong]) => wrong === value)) return false
  if (value === 'an empty text')
    return name === 'after' || name === 'secondary_public_key' || method === 'enablePrimary' || what === 'token: an empty text'
  return method === 'revokeSecondary' || TEXT_LIKE_ANY.has(name)
}

/** GET requests have their parameters in the query. */
function sent(cluster: Cluster, method: Method, parameters: Members): ReturnType<Cluster['send']> {
  const { verb, path } = endpointOf(method)
  if (verb === 'POST') return cluster.send(verb, path, parameters)
  const query = new URLSearchParams()
  // A query contains only text, so objects are sent as JSON text.
  for (const [name, value] of Object.entries(parameters)) query.set(name, typeof value === 'object' ? '{"a":[1]}' : String(value))
  return cluster.send(verb, `${path}?${query}`)
}

describe.each(CASES.filter(([what, method]) => !isAccepted(what, method)))(
  'parameter %s in a call of %s',
  (_, method, members) => {
    it('is refused without a change of any cluster', async () => {
      const cluster = clusters[MODES[method] as Mode]
      const all = Object.values(clusters)
      const before = await Promise.all(all.map(contentOf))
      const parameters = membersOf(method, members)
      const answer = await sent(cluster, method, parameters)
      expect([400, 413, 502, 503]).toContain(answer.status)
      expect(answer.body?.['errors']).toBeInstanceOf(Array)
      expect(JSON.stringify(answer.body).length).toBeLessThan(2000)
      const thrown: unknown = await callOf(
        cluster.kernel,
        method,
      )(parameters).then(
        () => 'it was taken',
        (error: unknown) => error,
      )
      if (!(thrown instanceof TypeError)) expect([400, 413, 502, 503]).toContain((thrown as { readonly status?: number }).status)
      expect(await Promise.all(all.map(contentOf))).toEqual(before)
    })
  },
)

describe.each(CASES.filter(([what, method]) => isAccepted(what, method)))(
  'parameter %s in a call of %s',
  (_, method, members) => {
    const mode = MODES[method] as Mode

    it('is either accepted or refused, and the kernel still answers requests', async () => {
      const parameters = membersOf(method, members)
      for (const send of [
        (cluster: Cluster) => sent(cluster, method, parameters).then(({ status }) => status),
        async ({ kernel }: Cluster) => (await outcomeOf(callOf(kernel, method)(parameters))).status,
      ]) {
        const cluster = mode === 'disabled' ? await world.open() : clusters[mode]
        const status = await send(cluster)
        expect([200, 204, 400, 502]).toContain(status)
        const shown = await cluster.send('GET', pathOf('readStatus'), undefined, null)
        expect(shown.status).toBe(200)
        if (method === 'enablePrimary' && status === 200) expect(await tokenFor(cluster, 'one')).toMatch(/\./)
      }
    })
  },
)

describe('a request body', () => {
  it.each([
    ['that is not an object', '[]', 400],
    ['that is not JSON', '{', 400],
    ['with one member 1,000 times', `{${new Array<string>(1000).fill('"token":"a"').join(',')}}`, undefined],
    ['with 10,000 unknown members', `{${Array.from({ length: 10_000 }, (_, n) => `"n${n}":[{}]`).join(',')}}`, undefined],
  ])('%s is refused with status 400', async (_, body, expected) => {
    for (const method of ['createSecondaryToken', 'enableSecondary', 'promote', 'updatePrimary'] as const) {
      const { status } = await clusters[MODES[method] as Mode].send('POST', pathOf(method), body)
      expect(status, method).toBe(expected ?? 400)
    }
  })
})

it.each(HUGE_TOKENS)('enableSecondary refuses a token of one million characters: %.30s', async (token) => {
  const { status } = await clusters.disabled.send('POST', pathOf('enableSecondary'), { token })
  expect(status).toBe(400)
})
