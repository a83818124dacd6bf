/** Reconciliation of large gateways and routes. `../../pieces.measured.slow.test.ts` measures how long one piece takes. */
import { expect, it } from 'vitest'
import { drive } from '../../driven.ts'
import { MANY_ENTRIES, reconciliations } from './many-entries.ts'

/** The maximum number of entries that one piece of the work may read. */
const MAX_READS = 1000

it.each(MANY_ENTRIES)(
  'reconciling %s yields to the event loop at least %d times and reads few entries in between',
  (_, least, make) => {
    let reads = 0
    let most = 0
    const works = reconciliations(make(), () => reads++)
    const pieces = works.map((work) =>
      drive(work, () => {
        most = Math.max(most, reads)
        reads = 0
      }),
    )
    expect(pieces.reduce((sum, driven) => sum + driven.pieces, 0)).toBeGreaterThanOrEqual(least)
    expect(most).toBeLessThan(MAX_READS)
  },
)
