/** Stores over SDKs fail at random calls. A repeated request must reach the requested state: store and model agree after every step. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import type { GoogleServer } from '../../fixtures/sync/google.ts'
import type { SyncStoreTrouble } from '../../fixtures/sync/store.ts'
import { live, push, type SyncWorld } from '../../fixtures/sync/world.ts'
import { SYNC_WORLDS } from '../../fixtures/sync/worlds.ts'

interface Step {
  readonly name: string
  /** Absent for a removal. */
  readonly value?: string
  readonly trouble?: SyncStoreTrouble
  /** The version of the last push is forgotten before the step. */
  readonly forgets: boolean
  /** A new session makes the step. */
  readonly reopens: boolean
}

const step: fc.Arbitrary<Step> = fc.record(
  {
    name: fc.constantFrom('one', 'two'),
    value: fc.constantFrom('a', 'b', 'c'),
    trouble: fc.record({
      at: fc.integer({ min: 1, max: 5 }),
      manner: fc.constantFrom<SyncStoreTrouble['manner'][]>('fails', 'throttles', 'drops', 'drops-after'),
      times: fc.integer({ min: 1, max: 3 }),
    }),
    forgets: fc.boolean(),
    reopens: fc.boolean(),
  },
  { requiredKeys: ['name', 'forgets', 'reopens'] },
)

const MAX_TRIES = 20

describe.each(['cloud-a-sm', 'cloud-b-kv', 'cloud-c-sm'] as const)('the %s adapter compared with a model', (type) => {
  let world: SyncWorld
  beforeAll(async () => {
    world = await SYNC_WORLDS[type]()
  })
  afterAll(() => world.stop())

  /** Google keeps old versions until they are destroyed. */
  const enabled = (name: string): number =>
    (world.server as GoogleServer).entry(name)!.versions.filter(({ state }) => state === 'ENABLED').length

  it('stores exactly the last pushed values after any sequence of calls, some of which fail', async () => {
    const removals: readonly Step[] = ['one', 'two'].map((name) => ({ name, forgets: false, reopens: false }))
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      let session = world.destination.open(world.config)
      const expected = new Map<string, string>()
      const versions = new Map<string, string | undefined>()
      for (const { name, value, trouble, forgets, reopens } of [...steps, ...removals]) {
        if (reopens) {
          await session.close()
          session = world.destination.open(world.config)
        }
        if (forgets) versions.delete(name)
        if (trouble) world.server.trouble(trouble)
        const known = versions.get(name)
        const opId = randomUUID()
        const ask = async (): Promise<void> => {
          if (value === undefined)
            await session.remove({ name, opId, ...(known !== undefined && { externalVersion: known }) }, live())
          else {
            const request = push(name, value, { opId, ...(known !== undefined && { previous: known }) })
            versions.set(name, (await session.put(request, live())).externalVersion)
          }
        }
        for (let tries = 0; ; tries++) {
          const kind = await ask().then(
            () => undefined,
            (error: { kind?: string }) => error.kind,
          )
          if (kind === undefined) break
          expect(['external', 'throttled', 'conflict']).toContain(kind)
          expect(tries).toBeLessThan(MAX_TRIES)
        }
        if (value === undefined) {
          expected.delete(name)
          versions.delete(name)
        } else {
          expected.set(name, value)
          const description = await session.describe!({ name, mark: 'strongroom:mark' }, live()).catch(() => undefined)
          if (description) expect(description).toEqual({ exists: true, externalVersion: versions.get(name), managed: true })
          if (type === 'cloud-c-sm') expect(enabled(name)).toBe(1)
        }
        world.server.calm()
        expect(Object.fromEntries(world.server.values())).toEqual(Object.fromEntries(expected))
      }
      await session.close()
    })
    await fc.assert(property, { numRuns: runs({ quick: 6, soak: 300 }) })
  })
})
