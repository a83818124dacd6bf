/**
 * Entries made to break or delay the service: it answers every request without a 5xx, and soon.
 */
import { expect, it } from 'vitest'
import { ENTRY_KINDS } from '../../../src/configsvc/entries/index.ts'
import { configWorld } from '../../fixtures/configsvc.ts'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import { turnsDuring } from '../turns.ts'
import { bytes, HTTP, LARGE_ENTRIES, redirects, times, waysOf } from './large-entries.ts'

const kinds = [...ENTRY_KINDS.keys()]

/** Names of members, of services, and of properties that every JavaScript object has. */
const NAMES = [
  ...new Set([...ENTRY_KINDS.values()].flatMap(({ body }) => Object.keys(body.shape.members))),
  'Service',
  'Destination',
  'Targets',
  'Protocol',
  'TLS',
  'Peer',
  '__proto__',
  'constructor',
  'toString',
]

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('web', 'api', '', '*', 'http', 'tcp', '10s', '-1', 'v1', '\ud800', '\u0000', 'a/b', '%2f'),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 4 })), tie('any'), { maxKeys: 6 }),
  ),
}))

it('writing any JSON value as an entry returns no 5xx, for one entry or a list', async () => {
  await using world = await configWorld({ acl: { enabled: false } })
  const { ask } = world
  const entry = fc.record({ Kind: fc.constantFrom(...kinds), Name: fc.constantFrom('web', 'api', 'global', 'mesh', 'a/b', 'x') })
  const sent = fc.tuple(entry, value.any).map(([named, more]) => ({ ...(more as object), ...named }))
  await fc.assert(
    fc.asyncProperty(fc.oneof(sent, fc.array(sent, { maxLength: 3 }), value.any), async (body) => {
      const { status, body: answer } = await ask('PUT', 'config', body)
      expect([200, 400, 403], JSON.stringify(answer)).toContain(status)
    }),
    { numRuns: runs({ quick: 300, soak: 20_000 }) },
  )
  for (const kind of kinds) {
    const { status, body } = await ask('GET', `config/${kind}`)
    expect(status).toBe(200)
    for (const { Name } of body) {
      const path = `config/${kind}/${encodeURIComponent(Name)}`
      expect((await ask('GET', path)).body).toMatchObject({ Kind: kind, Name })
      expect([200, 400, 403]).toContain((await ask('DELETE', path)).status)
    }
  }
})

it.each(LARGE_ENTRIES)(
  'storing and listing $what succeeds, and parsing the body yields to the event loop',
  async ({ make, turns }) => {
    await using world = await configWorld({ acl: { enabled: false } })
    for (const { name, way } of await waysOf(world, make())) {
      const measured = await turnsDuring(way)
      expect([name, measured.result.status]).toEqual([name, 200])
      if (name === 'store' || name === 'again') expect(measured.turns, name).toBeGreaterThanOrEqual(turns)
    }
  },
)

it('writing an entry with a body that is too long or too deeply nested is refused', async () => {
  await using world = await configWorld({ acl: { enabled: false } })
  const long = bytes({ ...HTTP, Config: { text: 'x'.repeat(4_194_304) } })
  expect(await world.ask('PUT', 'config', long)).toMatchObject({ status: 413, body: 'body: exceeds 4194304 bytes' })
  const deep = `{"Kind":"proxy-defaults","Name":"global","Config":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`
  expect(await world.ask('PUT', 'config', new TextEncoder().encode(deep))).toMatchObject({ status: 400 })
  expect(
    await world.ask(
      'PUT',
      'config',
      times(101, () => HTTP),
    ),
  ).toMatchObject({ status: 413 })
})

it('writing an entry that closes a long cycle of redirects is refused without blocking the event loop', async () => {
  const LENGTH = 300
  await using world = await configWorld({ acl: { enabled: false } })
  const { ask } = world
  await redirects(world, LENGTH)
  const closing = { Kind: 'service-resolver', Name: `r${LENGTH}`, Redirect: { Service: 'r0' } }
  const { result, turns } = await turnsDuring(() => ask('PUT', 'config', closing))
  expect(result).toMatchObject({ status: 400, body: expect.stringContaining('circular') })
  expect(turns).toBeGreaterThanOrEqual(3)
  // Every chain that ends there would have two protocols.
  const defaults = { Kind: 'service-defaults', Name: `r${LENGTH}`, Protocol: 'http' }
  expect(await ask('PUT', 'config', defaults)).toMatchObject({ status: 400, body: expect.stringContaining(`r${LENGTH}`) })
})
