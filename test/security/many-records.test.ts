/** No operation may read very many records at once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ManyRecords, manyRecords, READERS } from './many-records.ts'

/** More than the maximum of one read. */
const COUNT = 700
const MAX_KEYS = 256

let many: ManyRecords
beforeAll(async () => {
  many = await manyRecords(COUNT)
})
afterAll(() => many.kernel.close())

describe('with 700 records below every prefix', () => {
  it.each(READERS.map((listed) => [listed.title, listed] as const))(
    'the operation %s reads a limited number of records in each storage call',
    async (_, listed) => {
      expect((await many.read(listed)).status).toBeLessThan(500)
      expect(many.mostKeys).toBeLessThanOrEqual(MAX_KEYS)
    },
  )
})
