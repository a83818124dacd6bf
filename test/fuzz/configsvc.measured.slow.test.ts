import { expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { inReferenceMs, lowest } from '../fixtures/calibration.ts'
import fc from '../fixtures/fast-check.ts'
import { longestStretch } from '../large/stretch.ts'
import { checkAnswer, openFuzzedService, request } from './configsvc-requests.ts'

const REQUESTS = 3000
const MAX_STRETCH_MS = 50

it(`the configuration service never blocks the event loop for 50 ms while it answers ${REQUESTS} random requests`, async () => {
  await using service = await openFuzzedService(memoryStorage())
  const answersSoon = fc.asyncProperty(request, async (fuzzed) => {
    const first = (await longestStretch(() => checkAnswer(service, fuzzed))).worst
    if (first < MAX_STRETCH_MS) return
    const again = () => inReferenceMs(async () => (await longestStretch(async () => service.handle(fuzzed))).worst)
    expect(await lowest(again, MAX_STRETCH_MS)).toBeLessThan(MAX_STRETCH_MS)
  })
  await fc.assert(answersSoon, { numRuns: REQUESTS, seed: 22, endOnFailure: true })
})
