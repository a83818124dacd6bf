/** The failure matrix of the cloud engine over HTTP: the adapter calls a server that fails in every way. */
import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { describe, it } from 'vitest'
import { awsCloud } from '../../src/adapters/cloud-aws/index.ts'
import { type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { type AwsServer, startAws } from '../fixtures/aws/server.ts'
import { covering } from '../fixtures/pairwise.ts'
import { TIER } from '../tiers.ts'
import { cellsOf, goWrong, worksAndPoints } from './cloud-cells.ts'
import { ROOT } from './cloud-world.ts'

/** Turns of the event loop, 1 ms each, without any activity. After that many, the work must be waiting for the clock. */
const IDLE_TURNS = 12

/** Advances the clock until `work` has ended, but only while no call is in flight, because the server of this process takes real time. */
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

const CELLS = (await worksAndPoints()).flatMap(cellsOf)

/**
 * The soak tier runs every cell. The other tiers run every call of every work, every work with every failure, and every failure with every
 * aftermath; the conformance suite of the adapter covers the rest.
 */
const SAMPLE =
  TIER === 'soak'
    ? CELLS
    : covering(CELLS, [
        ['name', 'call'],
        ['name', 'what'],
        ['what', 'then'],
      ])

describe('the cloud engine with failing calls over HTTP', () => {
  it.each(SAMPLE)('the operation $name leaves a consistent state if its call $call $what, $then', async (cell) => {
    const clock = fakeClock()
    await using server = await startAws({ root: ROOT, now: () => clock.now() })
    const provider = awsCloud({ iam, sts })
    const drive = driver(server)
    await goWrong(cell, { clock, drive, cloud: () => ({ provider, url: server.url, state: server }) })
  })
})
