/**
 * A process is paused at some calls that it makes of the store or the cloud while it makes, changes or removes something there, and another one
 * takes over: what is stored holds, and of what the paused one had begun nothing is handed out when it goes on.
 */
import { describe, it } from 'vitest'
import { pauseAt, pausePoints } from './cloud-pausing.ts'
import { fewPoints } from './sampled-points.ts'

const POINTS = (await pausePoints()).flatMap(fewPoints)

describe('a process with a cloud engine', () => {
  it.each(POINTS)('$work.name: is paused $when $call (point $at) while another process takes over', pauseAt)
})
