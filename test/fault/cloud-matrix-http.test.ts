/** The failure matrix of the cloud engine over HTTP: the calls of the adapter, to a server that does with them what it likes. */
import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { describe, it } from 'vitest'
import { awsCloud } from '../../src/adapters/cloud-aws/index.ts'
import { type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { type AwsServer, startAws } from '../fixtures/aws/server.ts'
import { SLOW } from '../property/support.ts'
import { AFTERMATHS, type Cell, cellsOf, goWrong, pointsOf } from './cloud-cells.ts'
import { WORKS, type Work } from './cloud-works.ts'
import { ROOT } from './cloud-world.ts'

/** Turns of the event loop, a millisecond each, without anything happening: then whoever waits does so for the clock. */
const IDLE_TURNS = 12

/** Until `work` has ended. Time passes only while nobody is at anything: all that takes real time lies in this process. */
const driver =
  (server: AwsServer) =>
  async <T>(clock: FakeClock, work: Promise<T>, most = 600_000): Promise<T> => {
    let ended = false
    const over = () => {
      ended = true
    }
    work.then(over, over)
    const late = clock.now() + most
    let seen = -1
    for (let idle = 0; !ended; idle++) {
      const now = 1000 * server.calls.length + server.in_flight
      if (now !== seen) idle = 0
      seen = now
      if (idle > IDLE_TURNS && clock.now() >= late) throw new Error(`still waiting after ${most} milliseconds`)
      await clock.advance(idle > IDLE_TURNS ? 1000 : 0)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    return work
  }

/** Every call once, each in another way; with `SLOW` every cell. */
const sampled = (cells: readonly Cell[], { name: work }: Work): readonly Cell[] => {
  if (SLOW) return cells
  const first = cells.filter(({ then }) => then === AFTERMATHS[0])
  const calls = [...new Set(first.map(({ call }) => call))]
  const from = 5 * WORKS.findIndex(({ name }) => name === work)
  return calls.map((name, at) => {
    const ways = first.filter(({ call }) => call === name)
    return ways[(from + at) % ways.length] as Cell
  })
}

describe.each(await Promise.all(WORKS.map(async (work) => ({ ...work, points: await pointsOf(work) }))))('$name', (work) => {
  it.each(sampled(cellsOf(work.points), work))('$call $what, $then', async (cell) => {
    const clock = fakeClock()
    await using server = await startAws({ root: ROOT, now: () => clock.now() })
    const provider = awsCloud({ iam, sts })
    const drive = driver(server)
    await goWrong(work, cell, { clock, drive, cloud: () => ({ provider, url: server.url, state: server }) })
  })
})
