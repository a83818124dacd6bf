/**
 * A process is paused at many calls that it makes of the store or the cloud while it makes, changes or removes something there, and another one
 * takes over: what is stored holds, and of what the paused one had begun nothing is handed out when it goes on.
 */
import { describe, it } from 'vitest'
import { pauseAt, pausePoints } from './cloud-pausing.ts'
import { manyPoints } from './sampled-points.ts'

const POINTS = (await pausePoints()).flatMap(manyPoints)

describe('a process that works with a cloud', () => {
  it.each(POINTS)('$work.name: paused $when $call ($at)', pauseAt)
})
