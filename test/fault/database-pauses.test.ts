/**
 * A process is paused at some calls that it makes of the store or the database, and another one takes over: what is stored holds, and the
 * paused one commits nothing of what it had begun when it goes on.
 */
import { describe, it } from 'vitest'
import { pauseAt, pausePoints } from './database-pausing.ts'
import { fewPoints } from './sampled-points.ts'

const POINTS = (await pausePoints()).flatMap(fewPoints)

describe('a process with a database engine', () => {
  it.each(POINTS)('$work.name: is paused $when $call (point $at) while another process takes over', (point) => pauseAt(point))
})
