import { expect, it } from 'vitest'
import { memoryStorage } from '../../../src/core/storage/memory-storage.ts'
import { referenceMs } from '../../fixtures/calibration.ts'

/** The work takes about 400 ms. If a commit or a page took time in proportion to the store, it would take minutes. */
const MAX_MS = 5000

it('commits and scan pages of a memory storage do not take time in proportion to its 200,000 keys', async () => {
  const value = new Uint8Array([1])
  const key = (i: number) => `r/${((i * 7919) % 200_003).toString().padStart(6, '0')}/${i}`
  const took = await referenceMs(async () => {
    const storage = memoryStorage({ maxOps: 1000 })
    for (let at = 0; at < 200_000; at += 1000) {
      await storage.commit(
        Array.from({ length: 1000 }, (_, i) => ({ op: 'put', key: key(at + i), value })),
        `${at}`,
      )
    }
    for (let i = 0; i < 2000; i++) {
      await storage.commit([{ op: 'put', key: `new/${i}`, value }], `new ${i}`)
      await storage.scan('r/1', { limit: 10 })
      await storage.list('r/', { delimiter: '/', after: '1', limit: 10 })
    }
    expect(await storage.list('', { delimiter: '/' })).toEqual(['new/', 'r/'])
  }, MAX_MS)
  expect(took).toBeLessThan(MAX_MS)
})
