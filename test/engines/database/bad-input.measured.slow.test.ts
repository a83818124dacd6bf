import { afterAll, beforeAll, expect, it } from 'vitest'
import { inReferenceMs, lowest } from '../../fixtures/calibration.ts'
import { longestStretch } from '../../large/stretch.ts'
import { CASES, openDatabase, waysTo } from './bad-inputs.ts'

const MAX_STRETCH_MS = 50

let opened: Awaited<ReturnType<typeof openDatabase>>
beforeAll(async () => {
  opened = await openDatabase()
})
afterAll(() => opened.kernel.close())

it.each([...new Set(CASES.map(([, method]) => method))])(
  `refusing bad input to %s delays other requests by less than ${MAX_STRETCH_MS} ms`,
  async (method) => {
    const ways = CASES.filter((testCase) => testCase[1] === method).flatMap(([, , members]) =>
      waysTo(opened.kernel, method, members),
    )
    const measure = () =>
      inReferenceMs(async () => {
        const { worst } = await longestStretch(async () => {
          for (const way of ways) await way()
        })
        return worst
      })
    expect(await lowest(measure, MAX_STRETCH_MS)).toBeLessThan(MAX_STRETCH_MS)
  },
)
