import { expect, it } from 'vitest'
import { recentVerdicts } from '../../../src/core/storage/verdicts.ts'

const LIMIT = 10

it('recentVerdicts returns at least the latest entries up to its limit, and at most twice that many', () => {
  const verdicts = recentVerdicts<number>(LIMIT)
  for (let n = 1; n <= 100; n++) {
    verdicts.set(`${n}`, n)
    for (let back = 0; back < Math.min(n, LIMIT); back++) expect(verdicts.get(`${n - back}`)).toBe(n - back)
    expect(verdicts.get(`${n - 2 * LIMIT}`)).toBeUndefined()
  }
})

it('recentVerdicts returns no deleted entries, whether they were recent or older', () => {
  const verdicts = recentVerdicts<number>(LIMIT)
  for (let n = 1; n <= 15; n++) verdicts.set(`${n}`, n)
  for (const id of ['8', '15']) {
    verdicts.delete(id)
    expect(verdicts.get(id)).toBeUndefined()
  }
  verdicts.clear()
  for (let n = 1; n <= 15; n++) expect(verdicts.get(`${n}`)).toBeUndefined()
})
