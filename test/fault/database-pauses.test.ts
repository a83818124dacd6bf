/**
 * A process is paused at some of its calls to the store or the database, and another process takes over. The stored state stays valid, and
 * after the paused process resumes, it commits nothing of the work that it had begun.
 */
import { describe, it } from 'vitest'
import { pauseAt, pausePoints } from './database-pausing.ts'
import { fewPoints } from './sampled-points.ts'

const POINTS = (await pausePoints()).flatMap(fewPoints)

describe('the database engine with a paused process', () => {
  it.each(POINTS)(
    'the operation $work.name leaves a consistent state if it pauses $when the call $call (point $at) and another process takes over',
    (point) => pauseAt(point),
  )
})
