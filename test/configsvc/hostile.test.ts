/**
 * Large and deep requests to every operation are refused or processed. `stretches.measured.slow.test.ts` measures how long they block other
 * callers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OperationWorld, operationWorld } from '../fixtures/configsvc-operations.ts'
import {
  LARGE_BODIES,
  LARGE_DECISIONS,
  LARGE_GRANTS,
  LONG_PARAMETERS,
  makeLargeThings,
  READS,
  requestWithGrants,
} from './large-requests.ts'
import { turnsDuring } from './turns.ts'

let world: OperationWorld
beforeAll(async () => {
  world = await operationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe('a large request is answered without a 5xx', () => {
  it.each([...LARGE_BODIES, ...LARGE_DECISIONS])('$title', async ({ prepare }) => {
    expect([200, 400, 403, 413]).toContain((await prepare(world)()).status)
  })

  it('with a long string in any query parameter or header', async () => {
    for (const { title, prepare } of LONG_PARAMETERS) expect((await prepare(world)()).status, title).toBeLessThan(500)
  })

  it('that lists or reads large roles and policies', async () => {
    await makeLargeThings(world)
    for (const { title, prepare } of READS) expect((await prepare(world)()).status, title).toBeLessThan(500)
  })

  it.each(Object.entries(LARGE_GRANTS))(
    'with a token that has 1,000 %s, and the event loop runs meanwhile',
    async (_, grants) => {
      const request = await requestWithGrants(world, grants())
      const { result, turns } = await turnsDuring(request)
      expect(result.status).toBe(403)
      expect(turns).toBeGreaterThan(0)
    },
  )
})
