/**
 * A replication transport hangs, fails or returns invalid answers. Operations that need it end in time with an error, everything else
 * continues, and replication continues after the transport recovers.
 */
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import {
  createKernel,
  inProcessNetwork,
  type Kernel,
  keySeal,
  memoryStorage,
  type ReplicationTransport,
} from '../../src/index.ts'
import { type FakeClock, fakeClock } from '../../src/testing/index.ts'
import { bytesOf } from '../property/support.ts'
import { DEADLINE, driven, MISBEHAVIOURS, type Misbehaviour, SLOW } from './hanging-world.ts'

type Way = Misbehaviour | 'answers nothing' | 'answers garbage' | 'answers what it was asked' | 'answers too much'

const ANSWERS: Readonly<Record<Exclude<Way, Misbehaviour>, (request: Uint8Array) => Uint8Array>> = {
  'answers nothing': () => new Uint8Array(),
  'answers garbage': () => bytesOf(5000, 7),
  'answers what it was asked': (request) => request.slice(),
  'answers too much': () => new Uint8Array(9_000_000),
}

const WAYS = [...(Object.keys(MISBEHAVIOURS) as Misbehaviour[]), ...(Object.keys(ANSWERS) as Exclude<Way, Misbehaviour>[])]

interface Line {
  readonly transport: ReplicationTransport
  way: Way | undefined
}

/** A transport whose requests can be made to misbehave. */
function lineInto(network: ReplicationTransport, clock: FakeClock): Line {
  const line: Line = {
    way: undefined,
    transport: {
      listen: (address, handler) => network.listen(address, handler),
      async request(address, bytes, signal) {
        const good = () => network.request(address, bytes, signal)
        const { way } = line
        if (way === undefined) return good()
        if (way in ANSWERS) return ANSWERS[way as keyof typeof ANSWERS](bytes)
        return (await MISBEHAVIOURS[way as Misbehaviour](good, clock)) as Uint8Array
      },
    },
  }
  return line
}

interface Pair {
  readonly clock: FakeClock
  readonly line: Line
  readonly primary: Kernel
  readonly secondary: Kernel
  /** An activation token of the primary for a second secondary. */
  readonly token: string
}

async function openPair(): Promise<Pair> {
  const clock = fakeClock(1_700_000_000_000)
  const network = inProcessNetwork()
  const line = lineInto(network, clock)
  const open = (seal: number, replication: ReplicationTransport) =>
    createKernel({
      storage: memoryStorage({ maxOps: 128 }),
      seal: keySeal(bytesOf(32, seal)),
      initialize: true,
      clock,
      // Synchronous, so the fake clock cannot overtake it, and faster than the noble backend.
      crypto: nodeCrypto(),
      ports: { replication },
    })
  const primary = await open(1, network)
  const secondary = await open(2, line.transport)
  await primary.replication.enablePrimary()
  await primary.kv.writeSecret({ path: 'kept', data: { a: 1 } })
  const tokenOf = async (id: string) =>
    (await primary.replication.createSecondaryToken({ id, ttl: '30d' })).wrap_info?.token as string
  await secondary.replication.enableSecondary({ token: await tokenOf('b') })
  await secondary.tick()
  return { clock, line, primary, secondary, token: await tokenOf('c') }
}

const close = async ({ clock, primary, secondary }: Pair): Promise<void> => {
  await driven(clock, Promise.all([primary.close(), secondary.close()]), 3 * DEADLINE)
  await clock.advance(10 * DEADLINE)
}

const statusOf = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => 200,
    (error: { readonly status?: number }) => error.status ?? 0,
  )

const kept = async (kernel: Kernel): Promise<unknown> => (await kernel.kv.readSecret({ path: 'kept' })).data

describe.each(WAYS)('a replication transport that %s', (way) => {
  it('makes a secondary idle and fails no reads, until the transport recovers', async () => {
    const pair = await openPair()
    const { clock, line, primary, secondary } = pair
    await primary.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    line.way = way
    const ticking = driven(clock, secondary.tick(), 10 * DEADLINE)
    // Reads do not wait for the tick.
    expect(await kept(secondary)).toEqual({ a: 1 })
    await secondary.tokens.createToken({ policies: ['default'] })
    const { value, took } = await ticking
    expect(value.failed).toMatchObject([{ lane: 'replication' }])
    expect(took).toBeLessThanOrEqual(2 * DEADLINE + 1000)
    const shown = await secondary.replication.readStatus()
    expect(shown).toMatchObject({ mode: 'secondary', state: 'idle', last_error: expect.stringMatching(/\w+ \w+/) })
    line.way = undefined
    await clock.advance(5 * DEADLINE)
    await secondary.tick()
    expect(await kept(secondary)).toEqual({ a: 2 })
    const level = await secondary.replication.readStatus()
    expect(level).toMatchObject({ state: 'stream-wals', merkle_root: (await primary.replication.readStatus()).merkle_root })
    expect(level).not.toHaveProperty('last_error')
    await close(pair)
  })

  it('makes every update of the primary fail within the deadline, without an effect on the secondary', async () => {
    const pair = await openPair()
    const { clock, line, secondary, token } = pair
    const { known_primary_cluster_addrs = [] } = await secondary.replication.readStatus()
    line.way = way
    const most = 2 * DEADLINE + 1000
    for (const [what, work, expected] of [
      ['another token', () => secondary.replication.updatePrimary({ token }), 502],
      // A cluster that answers but is not the known primary may have replaced it.
      [
        'addresses',
        () => secondary.replication.updatePrimary({ update_primary_addrs: known_primary_cluster_addrs }),
        way in ANSWERS ? 400 : 502,
      ],
    ] as const) {
      const { value, took } = await driven(clock, statusOf(work()), 10 * DEADLINE)
      expect([what, value]).toEqual([what, expected])
      expect(took).toBeLessThanOrEqual(most)
    }
    const before = await secondary.replication.readStatus()
    expect(before).toMatchObject({ mode: 'secondary', secondary_id: 'b', known_primary_cluster_addrs })
    line.way = undefined
    await clock.advance(5 * DEADLINE)
    await secondary.tick()
    expect(await kept(secondary)).toEqual({ a: 1 })
    // An answer that arrives late may have consumed the token.
    if (!SLOW.has(way)) {
      await secondary.replication.updatePrimary({ token })
      expect((await secondary.replication.readStatus()).secondary_id).toBe('c')
    }
    await close(pair)
  })

  it('permits a promotion without force only if the secondary knows that it has every record', async () => {
    const pair = await openPair()
    const { clock, line, primary, secondary } = pair
    await primary.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    await secondary.tick()
    await primary.kv.writeSecret({ path: 'kept', data: { a: 3 } })
    line.way = way
    const { value, took } = await driven(clock, statusOf(secondary.replication.promote()), 10 * DEADLINE)
    // A cluster that answers may be the primary. If there is no answer, the error warns of possible data loss.
    expect([200, 400, 503]).toContain(value)
    expect(took).toBeLessThanOrEqual(2 * DEADLINE + 1000)
    const forced = await driven(clock, statusOf(secondary.replication.promote({ force: true })), 10 * DEADLINE)
    expect(forced.value).toBe(value === 200 ? 400 : 200)
    expect((await secondary.replication.readStatus()).mode).toBe('primary')
    expect(await kept(secondary)).toEqual({ a: 2 })
    await close(pair)
  })

  it('does not delay close()', async () => {
    const pair = await openPair()
    const { clock, line, secondary, token } = pair
    line.way = way
    const works = [secondary.tick(), secondary.replication.updatePrimary({ token })].map((work) => work.catch(() => {}))
    await clock.advance(0)
    await close(pair)
    await driven(clock, Promise.all(works), 10 * DEADLINE)
  })
})

describe('listen() of the replication transport', () => {
  it('is closed immediately if it succeeds only after the deadline', async () => {
    const clock = fakeClock(1_700_000_000_000)
    let closed = 0
    const replication: ReplicationTransport = {
      async listen(address) {
        await clock.sleep(4 * DEADLINE)
        return { address, close: async () => void closed++ }
      },
      request: () => Promise.reject(new Error('nobody')),
    }
    const seal = keySeal(bytesOf(32, 1))
    const kernel = await createKernel({ storage: memoryStorage(), seal, initialize: true, clock, ports: { replication } })
    const { value, took } = await driven(clock, statusOf(kernel.replication.enablePrimary()))
    expect(value).toBe(200)
    expect(took).toBeLessThanOrEqual(DEADLINE + 1000)
    expect(await kernel.replication.readStatus()).toMatchObject({
      state: 'idle',
      last_error: expect.stringMatching(/cannot listen/),
    })
    await clock.advance(4 * DEADLINE)
    expect(closed).toBe(1)
    await driven(clock, kernel.close(), 3 * DEADLINE)
  })

  it.each([
    ['nothing', undefined],
    ['a number', 7],
    ['no address', { close: async () => {} }],
    ['nothing to close', { address: 'a' }],
  ])('is reported as last_error in the status if it resolves with %s', async (_, answer) => {
    const replication = { listen: async () => answer, request: () => Promise.reject(new Error('nobody')) }
    const seal = keySeal(bytesOf(32, 1))
    const ports = { replication: replication as unknown as ReplicationTransport }
    const kernel = await createKernel({ storage: memoryStorage(), seal, initialize: true, ports })
    await kernel.replication.enablePrimary()
    expect(await kernel.replication.readStatus()).toMatchObject({
      state: 'idle',
      last_error: expect.stringMatching(/cannot listen/),
    })
    await kernel.kv.writeSecret({ path: 'a', data: { a: 1 } })
    await kernel.close()
  })
})
