/** Checks the table "When something goes wrong" of docs/cloud.md: each call of each row fails in each way. */
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
  /** Calls that are not tested, because the kernel does not need their answer. */
  readonly skip?: readonly string[]
  /** Whether the request may succeed despite this failure; otherwise it returns 502. */
  readonly mayRecover?: (call: string, manner: Manner) => boolean
}

const ROWS: Readonly<Record<string, Row>> = {
  'creating a user': {
    act: ({ kernel }) => kernel.cloud.creds({ name: 'user' }),
    // The kernel searches for the object that it may have created, and continues.
    mayRecover: (call, manner) => isUnclear(manner) && (call === 'createUser' || call === 'createAccessKey'),
  },
  'creating a session': { act: ({ kernel }) => kernel.cloud.creds({ name: 'session' }) },
  'revoking a user': {
    prepare: async (world) => {
      leases.set(world, (await world.kernel.cloud.creds({ name: 'user' })).lease_id as string)
      await world.clock.advance(10 * MINUTE)
    },
    act: (world) => world.kernel.leases.revokeLease({ lease_id: leases.get(world) as string, sync: true }),
    mayRecover: (call, manner) => manner === 'throttled' || (call === 'deleteUser' && isUnclear(manner)),
  },
  'creating a static role': {
    act: ({ kernel }) => kernel.cloud.writeStaticRole({ name: 's', username: ADOPTED, rotation_period: 3600 }),
  },
  'deleting a static role': {
    prepare: ({ kernel }) => kernel.cloud.writeStaticRole({ name: 's', username: ADOPTED, rotation_period: 3600 }),
    act: ({ kernel }) => kernel.cloud.deleteStaticRole({ name: 's' }),
    mayRecover: (_, manner) => isUnclear(manner),
  },
  'rotating a static role': {
    prepare: async ({ kernel, clock }) => {
      await kernel.cloud.writeStaticRole({ name: 's', username: ADOPTED, rotation_period: 3600 })
      await clock.advance(61 * MINUTE)
    },
    act: ({ kernel }) => kernel.tick(),
    mayRecover: () => true,
  },
  'rotating the root key': { act: ({ kernel }) => kernel.cloud.rotateRoot(), skip: ['listAccessKeys'] },
}

const isUnclear = (manner: Manner): boolean => manner !== 'refuses' && manner !== 'throttled'

const leases = new WeakMap<CloudWorld, string>()

/** The calls that a row makes if nothing fails. */
async function callsOf({ prepare, act, skip = [] }: Row): Promise<readonly string[]> {
  await using world = await openCloud()
  await prepare?.(world)
  const from = world.cloud.calls.length
  await act(world)
  return [...new Set(world.cloud.calls.slice(from).map(({ call }) => call))].filter((call) => !skip.includes(call))
}

/** Runs a row whose call fails, and returns the world with the status. */
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
  // Only a call that hangs needs the clock to advance.
  if (trouble.manner === 'hangs') await world.clock.advance(MINUTE)
  return { world, status: await work }
}

/** Advances the clock far enough for all retries, which are 10 seconds to an hour apart. */
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
  async 'creating a user'(world, status) {
    expect(world.made()).toHaveLength(status === 200 ? 1 : 0)
    await later(world)
    expect(world.made()).toEqual([])
  },
  async 'creating a session'(world) {
    expect(world.made()).toEqual([])
    expect(world.events.map(({ type }) => type)).not.toContain('lease.issued')
  },
  async 'revoking a user'(world) {
    const lease_id = leases.get(world) as string
    await expect(world.kernel.leases.renewLease({ lease_id })).rejects.toMatchObject({ status: 400 })
    await later(world)
    expect(world.made()).toEqual([])
  },
  async 'creating a static role'(world) {
    await expect(world.kernel.cloud.readStaticRole({ name: 's' })).rejects.toMatchObject({ status: 404 })
    await later(world)
    expect(keysOf(world, ADOPTED)).toHaveLength(1)
  },
  async 'deleting a static role'(world, status) {
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
  async 'rotating a static role'(world) {
    expect(world.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['static_role.rotation_failed', 'work.failed']))
    await givesGoodKey(world)
    await later(world)
    await givesGoodKey(world)
    expect(keysOf(world, ADOPTED).length).toBeLessThanOrEqual(2)
  },
  async 'rotating the root key'(world) {
    const works = () => world.kernel.cloud.creds({ name: 'session' })
    await works()
    await later(world)
    await works()
    expect(keysOf(world, 'engine-root')).toEqual([(await world.kernel.cloud.readRoot()).access_key])
  },
}

describe.each(Object.entries(ROWS))('a cloud failure while %s', (name, row) => {
  it.each([
    ['a refusal', REFUSALS.map((manner) => [manner, 'before'] as const)],
    ['an unclear answer', LOSSES],
  ])('is handled as docs/cloud.md describes if the cloud returns %s', async (_, troubles) => {
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
