/** Stores over fetch fail at random calls. A repeated request must reach the requested state: store and model agree after every step. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import fc from '../../fixtures/fast-check.ts'
import { runs } from '../../fixtures/runs.ts'
import type { HttpStore } from '../../fixtures/sync/http-store.ts'
import type { SyncStoreTrouble } from '../../fixtures/sync/store.ts'
import { OVER_FETCH, push, soon } from './over-fetch.ts'

interface Step {
  readonly name: string
  /** Absent for a removal. */
  readonly value?: string
  readonly trouble?: SyncStoreTrouble
  /** The version of the last push is forgotten before the step. */
  readonly forgets: boolean
}

const step: fc.Arbitrary<Step> = fc.record(
  {
    name: fc.constantFrom('ONE', 'TWO'),
    value: fc.constantFrom('a', 'b', 'c'),
    trouble: fc.record({
      at: fc.integer({ min: 1, max: 4 }),
      manner: fc.constantFrom<SyncStoreTrouble['manner'][]>('fails', 'throttles', 'drops', 'drops-after'),
      times: fc.integer({ min: 1, max: 3 }),
    }),
    forgets: fc.boolean(),
  },
  { requiredKeys: ['name', 'forgets'] },
)

describe.each(OVER_FETCH)('the $type adapter compared with a model', ({ config, start, destination }) => {
  let server: HttpStore
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.stop())

  it('stores exactly the last pushed values after any sequence of calls, some of which fail', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const session = destination({ endpoint: server.url }).open(config)
      const expected = new Map<string, string>()
      const versions = new Map<string, string | undefined>()
      for (const { name, value, trouble, forgets } of [...steps, ...removals]) {
        if (forgets) versions.delete(name)
        if (trouble) server.trouble(trouble)
        const known = versions.get(name)
        const ask = async () => {
          if (value === undefined)
            return void (await session.remove(
              { name, opId: 'a', ...(known !== undefined && { externalVersion: known }) },
              soon(),
            ))
          const pushed = push(name, value, known === undefined ? {} : { previous: known })
          versions.set(name, (await session.put(pushed, soon())).externalVersion)
        }
        for (let tries = 0; ; tries++) {
          const done = await ask().then(
            () => true,
            (error: { kind?: string }) => {
              expect(['external', 'throttled']).toContain(error.kind)
              return false
            },
          )
          if (done) break
          expect(tries).toBeLessThan(8)
        }
        if (value === undefined) {
          expected.delete(name)
          versions.delete(name)
        } else expected.set(name, value)
        server.calm()
        expect(Object.fromEntries(server.values())).toEqual(Object.fromEntries(expected))
      }
      await session.close()
    })
    const removals: readonly Step[] = ['ONE', 'TWO'].map((name) => ({ name, forgets: false }))
    await fc.assert(property, { numRuns: runs({ quick: 12, soak: 500 }) })
  })
})
