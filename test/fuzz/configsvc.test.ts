/**
 * Any request to the configuration service, with any token: an answer below 500, and a store that is sound afterwards.
 */
import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { checkSound } from '../fixtures/configsvc-records.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { TIER } from '../tiers.ts'
import { checkAnswer, clock, openFuzzedService, request } from './configsvc-requests.ts'

const RUNS = runs({ quick: 3000, soak: 100_000 })
/** Which requests are made; a failure tells it, and it makes the same ones again. */
const SEED = Number(process.env['SEED'] ?? (TIER === 'soak' ? Math.floor(Math.random() * 2 ** 31) : 22))

it(`answers ${RUNS} requests below 500 and keeps its store sound (SEED=${SEED})`, async () => {
  const storage = memoryStorage()
  await using service = await openFuzzedService(storage)
  // What a request meets depends on those before it: a failure is told as it is, with the seed that makes all of them again.
  await fc.assert(
    fc.asyncProperty(request, (fuzzed) => checkAnswer(service, fuzzed)),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  )
  await clock.advance(25 * 3_600_000)
  for (let rounds = 0; rounds < 50; rounds++) {
    const { failed, more } = await service.tick({ limit: 10_000 })
    expect(failed).toEqual([])
    if (!more) break
  }
  const counts = await checkSound(storage)
  expect(counts.policies).toBeGreaterThan(2)
  // The application's own view shows the same.
  expect(await service.policies.list({ ns: '*' })).toHaveLength(counts.policies)
})
