import { afterEach, describe, expect, it } from 'vitest'
import {
  createDevKernel,
  createKernel,
  type Kernel,
  type KernelEvent,
  keySeal,
  memoryStorage,
  type StartOptions,
  shamirSeal,
} from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin, faultyStorage } from '../../../src/testing/index.ts'

type Failed = KernelEvent<'work.failed'>

let kernel: Kernel
afterEach(() => kernel?.close())

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function failuresOf(of: Kernel): Failed[] {
  const events: Failed[] = []
  of.events.on('work.failed', (event) => events.push(event))
  return events
}

async function onDatabase() {
  const clock = fakeClock()
  const fake = fakeDatabasePlugin()
  kernel = await createDevKernel({ clock, ports: { databases: { fake } } })
  const details = { connection_url: 'fake://{{username}}:{{password}}@localhost', username: 'root', password: 'root-password' }
  await kernel.database.writeConnection({ name: 'db', plugin_name: 'fake', ...details, allowed_roles: ['*'] })
  await kernel.database.writeRole({ name: 'app', db_name: 'db', creation_statements: ['CREATE'], default_ttl: 60, max_ttl: 60 })
  return { clock, fake, events: failuresOf(kernel) }
}

describe('the work.failed event', () => {
  it('reports each failed attempt to drop a database user until the user is dropped', async () => {
    const { clock, fake, events } = await onDatabase()
    const { lease_id, username } = await kernel.database.creds({ name: 'app' })
    fake.trouble({ call: 'deleteUser', manner: 'refuses', times: 2 })
    await clock.advance(61_000)
    await kernel.tick()
    await turns()
    const at = { type: 'work.failed', namespace: '', mount: 'database/', lane: 'lease', code: 'ERR_UPSTREAM' }
    expect(events).toEqual([expect.objectContaining({ ...at, id: expect.stringContaining(lease_id), attempt: 1 })])
    expect(Date.parse(events[0]!.next_attempt)).toBeGreaterThan(clock.now())
    const { type: _, time, ...shown } = events[0]!
    expect((await kernel.status()).failed).toEqual([{ ...shown, failed_at: time }])

    await clock.advance(60_000)
    await kernel.tick()
    await turns()
    expect(events.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect((await kernel.status()).failed).toHaveLength(1)

    await clock.advance(120_000)
    await kernel.tick()
    expect(fake.users.has(username)).toBe(false)
    expect((await kernel.status()).failed).toEqual([])
    expect(JSON.stringify(events)).not.toContain('root-password')
  })

  it('reports a failed revocation that a caller requested, because a tick will repeat it', async () => {
    const { fake, events } = await onDatabase()
    const { lease_id } = await kernel.database.creds({ name: 'app' })
    fake.trouble({ call: 'deleteUser', manner: 'refuses', times: 1 })
    await expect(kernel.leases.revokeLease({ lease_id })).rejects.toMatchObject({ code: 'ERR_UPSTREAM' })
    await turns()
    expect(events).toMatchObject([{ lane: 'lease', attempt: 1 }])
    expect((await kernel.status()).failed).toHaveLength(1)
  })

  it.each(['refuses', 'unreachable', 'loses'] as const)(
    'reports the failed rotation of a static role (database failure: %s)',
    async (manner) => {
      const { clock, fake, events } = await onDatabase()
      fake.addUser('billing', 'first')
      await kernel.database.writeStaticRole({ name: 's', db_name: 'db', username: 'billing', rotation_period: 3600 })
      fake.trouble({ call: 'updateUser', manner, times: 1 })
      await clock.advance(3_601_000)
      const { failed } = await kernel.tick()
      await turns()
      expect(failed).toHaveLength(1)
      expect(events).toMatchObject([{ namespace: '', mount: 'database/', attempt: 1, code: 'ERR_UPSTREAM' }])
      expect((await kernel.status()).failed).toMatchObject([{ id: events[0]!.id }])
      for (let round = 0; round < 3; round++) {
        await clock.advance(120_000)
        await kernel.tick()
      }
      expect((await kernel.status()).failed).toEqual([])
    },
  )

  it('reports each tick that fails as a whole, as status() and onError do', async () => {
    const clock = fakeClock()
    let broken = false
    const storage = faultyStorage(memoryStorage(), () => (broken ? 'error' : undefined))
    kernel = await createKernel({ storage, seal: keySeal(new Uint8Array(32)), initialize: true, clock })
    const events = failuresOf(kernel)
    const errors: Error[] = []
    let ticks = 0
    const stop = kernel.start({ intervalMs: 500, onTick: () => ticks++, onError: (error) => errors.push(error) })
    await clock.advance(400)
    expect([ticks, errors.length]).toEqual([1, 0])
    broken = true
    await clock.advance(1000)
    expect(errors.length).toBeGreaterThanOrEqual(2)
    expect(events.filter(({ lane }) => lane === 'tick')).toMatchObject([
      { lane: 'tick', id: 'tick', namespace: '', mount: '', attempt: 1 },
      { lane: 'tick', id: 'tick', attempt: 2 },
    ])
    broken = false
    expect((await kernel.status()).failed).toContainEqual(expect.objectContaining({ lane: 'tick', attempt: 2 }))
    await clock.advance(500)
    expect(ticks).toBe(2)
    expect((await kernel.status()).failed).toEqual([])
    stop()
  })

  it('reports nothing while the store is not initialized or sealed, and continues when it is unsealed', async () => {
    const clock = fakeClock()
    kernel = await createKernel({ storage: memoryStorage(), seal: shamirSeal(), clock })
    const errors: Error[] = []
    let ticks = 0
    const stop = kernel.start({ intervalMs: 500, onTick: () => ticks++, onError: (error) => errors.push(error) })
    await clock.advance(2000)
    expect(ticks).toBe(0)
    const { keys } = await kernel.seal.initialize({ secret_shares: 1, secret_threshold: 1 })
    await clock.advance(2000)
    const [key] = keys as [string]
    await kernel.seal.unseal({ key })
    await clock.advance(500)
    expect(ticks).toBeGreaterThan(0)
    await kernel.seal.seal()
    const before = ticks
    await clock.advance(2000)
    expect(ticks).toBe(before)
    await kernel.seal.unseal({ key })
    await clock.advance(500)
    expect(ticks).toBeGreaterThan(before)
    expect(errors).toEqual([])
    stop()
  })
})

describe('kernel.start', () => {
  const REFUSED: readonly unknown[] = [
    { interval: 5 },
    { interval_Ms: 5 },
    { intervalMs: 0 },
    { intervalMs: -1 },
    { intervalMs: Number.NaN },
    { intervalMs: Number.POSITIVE_INFINITY },
    { intervalMs: '5' },
    { intervalMs: 2 ** 31 },
    { intervalMs: 5, interval_ms: 5 },
    { unref: 1 },
    { onTick: 'log' },
    { onError: true },
    null,
    5,
  ]
  it.each(REFUSED)('refuses the options %o', async (options) => {
    kernel = await createDevKernel()
    expect(() => kernel.start(options as StartOptions)).toThrow(TypeError)
  })

  it('accepts its options in snake_case', async () => {
    const clock = fakeClock()
    kernel = await createDevKernel({ clock })
    let ticks = 0
    kernel.start({ interval_ms: 100, on_tick: () => ticks++ } as StartOptions)
    await clock.advance(1000)
    expect(ticks).toBeGreaterThan(5)
  })
})
