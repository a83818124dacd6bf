/** How long a hostile request delays other requests. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inReferenceMs, lowest } from '../../fixtures/calibration.ts'
import { longestStretch } from '../../large/stretch.ts'
import { HUGE_TOKENS } from './hostile-values.ts'
import { pathOf } from './operations.ts'
import { type Cluster, World } from './world.ts'

const MAX_STRETCH_MS = 50

const world = new World()
let cluster: Cluster
beforeAll(async () => {
  cluster = await world.open()
})
afterAll(() => world.close())

it('an activation token of one million characters blocks the event loop for at most 50 ms', async () => {
  const measure = () =>
    inReferenceMs(async () => {
      const { worst } = await longestStretch(async () => {
        for (const token of HUGE_TOKENS) await cluster.send('POST', pathOf('enableSecondary'), { token })
      })
      return worst
    })
  expect(await lowest(measure, MAX_STRETCH_MS)).toBeLessThan(MAX_STRETCH_MS)
})
