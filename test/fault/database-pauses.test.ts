/**
 * A process is paused at some of its calls to the store or the database, and another process takes over. The stored state stays valid, and
 * after the paused process resumes, it commits nothing of the work that it had begun.
 */
import { describe, it } from 'vitest'
import { pauseAt, pausePoints } from './database-pausing.ts'
import { fewPoints } from './sampled-points.ts'

const POINTS = (await pausePoints()).flatMap(fewPoints)

describe('a process with a database engine', () => {
  it.each(POINTS)('$work.name: is paused $when $call (point $at) while another process takes over', (point) => pauseAt(point))
})
