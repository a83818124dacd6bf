import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { checkSound } from '../fixtures/configsvc-records.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { TIER } from '../tiers.ts'
import { checkAnswer, clock, openFuzzedService, request } from './configsvc-requests.ts'

const RUNS = runs({ quick: 3000, soak: 100_000 })
/** The seed of the requests. A failure reports it; set SEED to repeat them. */
const SEED = Number(process.env['SEED'] ?? (TIER === 'soak' ? Math.floor(Math.random() * 2 ** 31) : 22))

it(`the configuration service answers ${RUNS} random requests with statuses below 500, and its store remains consistent (SEED=${SEED})`, async () => {
  const storage = memoryStorage()
  await using service = await openFuzzedService(storage)
  // Each request depends on the earlier ones, so failures are not shrunk; the seed repeats the whole sequence.
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
  // The list that the application sees has as many policies as the store.
  expect(await service.policies.list({ ns: '*' })).toHaveLength(counts.policies)
})
