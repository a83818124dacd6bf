/** Many concurrent requests on a storage that fails at many of its calls (at every call in the soak tier). */
import { describe, it } from 'vitest'
import { TIER } from '../tiers.ts'
import { CASES, crowdAtEach } from './crowding.ts'

describe('concurrent requests', () => {
  it.each(CASES)(
    'lose no acknowledged write if the fault is $name at any of many storage calls (store: $where)',
    ({ name, index, place }) => (TIER === 'soak' ? crowdAtEach(name, place, 1, 1) : crowdAtEach(name, place, 1 + index * 3, 41)),
  )
})
