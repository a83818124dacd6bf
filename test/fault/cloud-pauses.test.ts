/**
 * A process is paused at some of its calls to the store or the cloud, and another process takes over. The stored state stays valid, and
 * after the paused process resumes, it returns nothing of the work that it had begun.
 */
import { describe, it } from 'vitest'
import { pauseAt, pausePoints } from './cloud-pausing.ts'
import { fewPoints } from './sampled-points.ts'

const POINTS = (await pausePoints()).flatMap(fewPoints)

describe('the cloud engine with a paused process', () => {
  it.each(POINTS)(
    'the operation $work.name leaves a consistent state if it pauses $when the call $call (point $at) and another process takes over',
    pauseAt,
  )
})
