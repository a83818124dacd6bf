import { afterAll, beforeAll, expect, it } from 'vitest'
import { runs } from '../fixtures/runs.ts'
import { closeKernels, openKernels, SEED, sendHostileRequests } from './surface.ts'

const RUNS = runs({ quick: 1500, soak: 100_000 })

beforeAll(openKernels)
afterAll(closeKernels)

it(`answers ${RUNS} requests to any path below 500, with valid JSON and with errors from 400 on (SEED=${SEED})`, async () => {
  await expect(sendHostileRequests(RUNS)).resolves.toBeUndefined()
})
