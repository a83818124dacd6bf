/** Whatever the cloud does over HTTP while keys are changed, through the adapter: a good key at every moment, and none that nobody knows. */
import * as iam from '@aws-sdk/client-iam'
import * as sts from '@aws-sdk/client-sts'
import { describe, expect, it } from 'vitest'
import { awsCloud } from '../../src/adapters/cloud-aws/index.ts'
import type { CloudCall, FakeClock } from '../../src/testing/index.ts'
import { startAws } from '../fixtures/aws/server.ts'
import { type Known, WORKS, type Work } from './cloud-works.ts'
import { ROOT, World } from './cloud-world.ts'
import { slowly } from './database-world.ts'
import { DEADLINE } from './hanging-world.ts'

const OURS = WORKS.filter(({ name }) => name.startsWith('static') || name === 'rotate-root')

const WRONG = [
  ['is refused', 'refuses', 'before', 'refused'],
  ['is throttled', 'throttled', 'before', 'throttled'],
  ['is answered with 500', 'fails', 'before', 'lost'],
  ['is not applied, and the connection is lost', 'loses', 'before', 'lost'],
  ['is applied, and the reply is lost', 'loses', 'after', 'lost'],
  ['is applied, and the answer is none', 'garbles', 'after', 'unclear'],
  ['is never answered, and not applied', 'hangs', 'before', 'lost'],
  ['is never answered, but applied', 'hangs', 'after', 'lost'],
] as const satisfies readonly (readonly [string, string, 'before' | 'after', Known])[]

const CALLS: Readonly<Record<string, readonly CloudCall[]>> = {
  'static create': ['getUser', 'listAccessKeys', 'deleteAccessKey', 'createAccessKey'],
  'static rotation': ['getUser', 'listAccessKeys', 'deleteAccessKey', 'createAccessKey'],
  'static delete': ['deleteAccessKey'],
  'rotate-root': ['getUser', 'listAccessKeys', 'createAccessKey', 'deleteAccessKey'],
}

async function suffer(work: Work, call: CloudCall, [, manner, when, known]: (typeof WRONG)[number]): Promise<void> {
  let clock: FakeClock | undefined
  await using server = await startAws({ root: ROOT, now: () => clock?.now() ?? 0 })
  const { url } = server
  const world = await World.furnished({
    drive: slowly,
    unleased: work.unleased,
    cloud: (its) => {
      clock = its
      return { provider: awsCloud({ iam, sts }), url, state: server }
    },
  })
  if (work.wait !== undefined) await world.clock.advance(work.wait)
  const process = await world.start()
  server.trouble({ call, manner, when })
  const answer = await world.drive(world.clock, work.run(process, world), 4 * DEADLINE)
  const mended = work.mends?.(call, known, when, manner) === true
  if (answer && mended) expect(await work.done?.(answer, world, process)).toBe(true)
  if (answer) expect(answer.status === 502).toBe(!mended)
  await world.holds(process, work.deletes)
  await world.calm(process)
  if (work.eventually) expect(await work.eventually(world, process)).toBe(true)
  await world.check(process, work.deletes)
}

describe.each(OURS)('$name', (work) => {
  const cells = (CALLS[work.name] ?? []).flatMap((call) => WRONG.map((wrong) => ({ call, what: wrong[0], wrong })))
  it.each(cells)('$call $what', async ({ call, wrong }) => {
    await suffer(work, call, wrong)
  })
})
