import { afterAll, beforeAll, expect, it } from 'vitest'
import { runs } from '../fixtures/runs.ts'
import { closeKernels, openKernels, SEED, sendHostileRequests } from './surface.ts'

const RUNS = runs({ quick: 1500, soak: 100_000 })

beforeAll(openKernels)
afterAll(closeKernels)

it(`the kernel answers ${RUNS} hostile requests with valid JSON and without an unexpected status of 500 or above (SEED=${SEED})`, async () => {
  await expect(sendHostileRequests(RUNS)).resolves.toBeUndefined()
})
