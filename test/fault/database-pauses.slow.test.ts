/**
 * A process is paused at many of its calls to the store or the database, and another process takes over. The stored state stays valid, and
 * after the paused process resumes, it commits nothing of the work that it had begun.
 */
import { describe, it } from 'vitest'
import { runs } from '../fixtures/runs.ts'
import { MEMORY, SHARED_STORES } from '../fixtures/stores.ts'
import { TIER } from '../tiers.ts'
import { type PausePoint, pauseAt, pausePoints } from './database-pausing.ts'
import { onRealStore } from './database-world.ts'
import { manyPoints } from './sampled-points.ts'

const POINTS = await pausePoints()

describe('the database engine with a paused process', () => {
  it.each(POINTS.flatMap(manyPoints))(
    'the operation $work.name leaves a consistent state if it pauses $when the call $call (point $at) and another process takes over',
    (point) => pauseAt(point),
  )
})

const STRIDE = runs({ quick: 23, soak: 1 })
/** One work for each way in which another process takes over begun work. */
const ORDINARY = ['creds', 'expiry', 'static update', 'rotate-root']

const isTried = ({ work }: PausePoint): boolean => TIER === 'soak' || ORDINARY.includes(work.name)

const ON_STORES = POINTS.flatMap((points, index) =>
  points.filter((point) => isTried(point) && point.at % STRIDE === index % STRIDE),
)

describe.each(SHARED_STORES.filter((store) => store !== MEMORY))(
  'the database engine with a paused process and a store on $name',
  (store) => {
    it.each(ON_STORES)(
      'the operation $work.name leaves a consistent state if it pauses $when the call $call (point $at) and another process takes over',
      async (point) => {
        const { storage, drop } = await store.open()
        try {
          await pauseAt(point, onRealStore(storage))
        } finally {
          await drop()
        }
      },
    )
  },
)
