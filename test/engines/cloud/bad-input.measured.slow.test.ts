import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { inReferenceMs, lowest } from '../../fixtures/calibration.ts'
import { longestStretch } from '../../large/stretch.ts'
import { CASES, METHODS, waysTo } from './bad-inputs.ts'
import { BAD, waysToAsk } from './creds-bad-inputs.ts'
import { openCloud } from './creds-world.ts'

const MAX_STRETCH_MS = 50

let kernel: Kernel
beforeAll(async () => {
  const connect = () => {
    throw new Error('a bad request must not reach the cloud')
  }
  kernel = await createDevKernel({ ports: { cloud: { connect } } })
  await kernel.cloud.configureRoot({ access_key: 'AKIAEXAMPLE', secret_key: 'secret' })
})
afterAll(() => kernel.close())

const stretchOf = (ways: readonly (() => Promise<unknown>)[]) =>
  lowest(
    () =>
      inReferenceMs(async () => {
        const { worst } = await longestStretch(async () => {
          for (const way of ways) await way()
        })
        return worst
      }),
    MAX_STRETCH_MS,
  )

it.each(METHODS)(`refusing bad input to %s delays other requests by less than ${MAX_STRETCH_MS} ms`, async (method) => {
  const ways = CASES.filter((testCase) => testCase[1] === method).flatMap(([, , members]) => waysTo(kernel, method, members))
  expect(ways.length).toBeGreaterThan(0)
  expect(await stretchOf(ways)).toBeLessThan(MAX_STRETCH_MS)
})

it(`refusing a bad credentials request delays other requests by less than ${MAX_STRETCH_MS} ms`, async () => {
  await using world = await openCloud()
  const roles = ['user', 'session', 'token']
  const ways = roles.flatMap((role) => BAD.flatMap(([field, , value]) => waysToAsk(world.kernel, role, field, value)))
  expect(await stretchOf(ways)).toBeLessThan(MAX_STRETCH_MS)
})
