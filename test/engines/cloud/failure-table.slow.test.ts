/** The table "When something goes wrong" of docs/cloud.md, row by row: each call of each row meets each kind of trouble. */
import { describe, expect, it } from 'vitest'
import { type CloudWorld, MINUTE, openCloud } from './creds-world.ts'

/** The first column. */
const REFUSALS = ['refuses', 'throttled'] as const
/** The second column: the effect of the call is not known. */
const LOSSES = [
  ['fails', 'before'],
  ['loses', 'before'],
  ['loses', 'after'],
  ['hangs', 'before'],
  ['garbles', 'after'],
] as const

type Manner = (typeof REFUSALS)[number] | (typeof LOSSES)[number][0]

/** An adopted user with one key. */
const ADOPTED = 'app-one'

interface Row {
  readonly prepare?: (world: CloudWorld) => Promise<unknown>
  readonly act: (world: CloudWorld) => Promise<unknown>
  /** Calls that are left out, because the kernel does without their answer. */
  readonly skip?: readonly string[]
  /** Whether the request can succeed in spite of this trouble; otherwise it is 502. */
  readonly mayRecover?: (call: string, manner: Manner) => boolean
}

const ROWS: Readonly<Record<string, Row>> = {
  user: {
    act: ({ kernel }) => kernel.cloud.creds({ name: 'user' }),
    // The kernel looks for what it may have created, and goes on.
    mayRecover: (call, manner) => isUnclear(manner) && (call === 'createUser' || call === 'createAccessKey'),
  },
  session: { act: ({ kernel }) => kernel.cloud.creds({ name: 'session' }) },
  revocation: {
    prepare: async (world) => {
      leases.set(world, (await world.kernel.cloud.creds({ name: 'user' })).lease_id as string)
      await world.clock.advance(10 * MINUTE)
    },
    act: (world) => world.kernel.leases.revokeLease({ lease_id: leases.get(world) as string, sync: true }),
    mayRecover: (call, manner) => manner === 'throttled' || (call === 'deleteUser' && isUnclear(manner)),
  },
  'static role that is made': {
    act: ({ kernel }) => kernel.cloud.writeStaticRole({ name: 's', username: ADOPTED, rotation_period: 3600 }),
  },
  'static role that is deleted': {
    prepare: ({ kernel }) => kernel.cloud.writeStaticRole({ name: 's', username: ADOPTED, rotation_period: 3600 }),
    act: ({ kernel }) => kernel.cloud.deleteStaticRole({ name: 's' }),
    mayRecover: (_, manner) => isUnclear(manner),
  },
  rotation: {
    prepare: async ({ kernel, clock }) => {
      await kernel.cloud.writeStaticRole({ name: 's', username: ADOPTED, rotation_period: 3600 })
      await clock.advance(61 * MINUTE)
    },
    act: ({ kernel }) => kernel.tick(),
    mayRecover: () => true,
  },
  root: { act: ({ kernel }) => kernel.cloud.rotateRoot(), skip: ['listAccessKeys'] },
}

const isUnclear = (manner: Manner): boolean => manner !== 'refuses' && manner !== 'throttled'

const leases = new WeakMap<CloudWorld, string>()

/** The names of the calls that a row makes, without trouble. */
async function callsOf({ prepare, act, skip = [] }: Row): Promise<readonly string[]> {
  await using world = await openCloud()
  await prepare?.(world)
  const from = world.cloud.calls.length
  await act(world)
  return [...new Set(world.cloud.calls.slice(from).map(({ call }) => call))].filter((call) => !skip.includes(call))
}

/** The world after a row whose call met trouble, with what the row came to. */
async function troubled(
  row: Row,
  trouble: { readonly call: string; readonly manner: Manner; readonly when?: 'before' | 'after' },
) {
  const world = await openCloud()
  await row.prepare?.(world)
  world.events.length = 0
  world.cloud.trouble(trouble as never)
  const work = row.act(world).then(
    () => 200,
    (error: { readonly status: number }) => error.status,
  )
  // Only a call that hangs needs time.
  if (trouble.manner === 'hangs') await world.clock.advance(MINUTE)
  return { world, status: await work }
}

/** So many minutes, with ticks: the retries come 10 seconds to an hour apart. */
async function later({ pass }: CloudWorld): Promise<void> {
  for (const minutes of [1, 1, 2, 5, 15, 60, 60]) await pass(minutes * MINUTE)
}

const keysOf = ({ cloud }: CloudWorld, user: string): readonly string[] =>
  (cloud.users.get(user)?.keys ?? []).map(({ accessKeyId }) => accessKeyId)

async function givesGoodKey({ kernel, cloud }: CloudWorld): Promise<void> {
  const { access_key, secret_key } = await kernel.cloud.staticCreds({ name: 's' })
  expect(cloud.works(access_key, secret_key)).toBe(true)
}

/** The expected results for each row, immediately and after recovery. */
const HOLDS: Readonly<Record<string, (world: CloudWorld, status: number) => Promise<void>>> = {
  async user(world, status) {
    expect(world.made()).toHaveLength(status === 200 ? 1 : 0)
    await later(world)
    expect(world.made()).toEqual([])
  },
  async session(world) {
    expect(world.made()).toEqual([])
    expect(world.events.map(({ type }) => type)).not.toContain('lease.issued')
  },
  async revocation(world) {
    const lease_id = leases.get(world) as string
    await expect(world.kernel.leases.renewLease({ lease_id })).rejects.toMatchObject({ status: 400 })
    await later(world)
    expect(world.made()).toEqual([])
  },
  async 'static role that is made'(world) {
    await expect(world.kernel.cloud.readStaticRole({ name: 's' })).rejects.toMatchObject({ status: 404 })
    await later(world)
    expect(keysOf(world, ADOPTED)).toHaveLength(1)
  },
  async 'static role that is deleted'(world, status) {
    const isThere = () =>
      world.kernel.cloud.readStaticRole({ name: 's' }).then(
        () => true,
        () => false,
      )
    expect(await isThere()).toBe(status !== 200)
    await later(world)
    // Either the role has its good key, or both are gone.
    if (await isThere()) await givesGoodKey(world)
    else expect(keysOf(world, ADOPTED)).toHaveLength(1)
  },
  async rotation(world) {
    expect(world.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['static_role.rotation_failed', 'work.failed']))
    await givesGoodKey(world)
    await later(world)
    await givesGoodKey(world)
    expect(keysOf(world, ADOPTED).length).toBeLessThanOrEqual(2)
  },
  async root(world) {
    const works = () => world.kernel.cloud.creds({ name: 'session' })
    await works()
    await later(world)
    await works()
    expect(keysOf(world, 'engine-root')).toEqual([(await world.kernel.cloud.readRoot()).access_key])
  },
}

describe.each(Object.entries(ROWS))('a failure of the cloud: %s', (name, row) => {
  it.each([
    ['a refusal', REFUSALS.map((manner) => [manner, 'before'] as const)],
    ['an unclear answer', LOSSES],
  ])('is handled after %s as docs/cloud.md says', async (_, troubles) => {
    for (const call of await callsOf(row))
      for (const [manner, when] of troubles) {
        const { world, status } = await troubled(row, { call, manner, when })
        const expected = row.mayRecover?.(call, manner) ? [200, 502] : [502]
        expect(expected, `${call} ${manner} ${when}`).toContain(status)
        await HOLDS[name]?.(world, status)
        await world.kernel.close()
      }
  })
})
