/** A database that never responds affects only its own users (hashicorp/vault#3627, #10120, PR#17711). */
import { describe, expect, it } from 'vitest'
import { createDevKernel } from '../../../src/index.ts'
import { type DatabaseCall, fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'
import { DEADLINE, driven } from '../../fault/hanging-world.ts'
import { runs } from '../../fixtures/runs.ts'

const HOUR = 3_600_000
const DEAD = runs({ quick: 60, soak: 1000 })
const ALIVE = 10

const FOREVER = Number.POSITIVE_INFINITY

/**
 * Leases of two databases, all due in the same hour and those of the failing database first, and a transit key that is due for rotation.
 */
async function openDeadDatabase() {
  const clock = fakeClock()
  const [dead, alive] = [fakeDatabasePlugin(), fakeDatabasePlugin()]
  const kernel = await createDevKernel({ clock, ports: { databases: { dead, alive } } })
  const { database } = kernel
  for (const name of ['dead', 'alive']) {
    const root = { username: 'root', password: 'root-password', connection_url: 'there' }
    await database.writeConnection({ name, plugin_name: name, allowed_roles: ['*'], ...root })
    await database.writeRole({ name, db_name: name, creation_statements: ['make'], default_ttl: 3600 })
  }
  for (let lease = 0; lease < DEAD; lease++) await database.creds({ name: 'dead' })
  await clock.advance(10)
  for (let lease = 0; lease < ALIVE; lease++) await database.creds({ name: 'alive' })
  await kernel.transit.createKey({ name: 'k', auto_rotate_period: '1h' })
  expect([dead.users.size, alive.users.size]).toEqual([DEAD + 1, ALIVE + 1])
  const kill = (manner: 'hangs' | 'deaf', calls: readonly DatabaseCall[]) => {
    const over = calls.map((call) => dead.trouble({ call, manner, times: FOREVER }))
    return () => {
      for (const end of over) end()
    }
  }
  return { clock, dead, alive, kernel, kill }
}

const ALL_CALLS = ['connect', 'deleteUser'] as const

describe.each([
  ['hangs', 'during connect', true],
  ['deaf', 'during connect', true],
  ['hangs', 'on an established connection', false],
  ['deaf', 'on an established connection', false],
] as const)('an unresponsive database (failure mode %s) %s', (manner, _, isReloaded) => {
  it('delays neither work of other databases nor the tick for longer than the deadline', async () => {
    const { clock, dead, alive, kernel, kill } = await openDeadDatabase()
    if (isReloaded) await kernel.plugins.reloadPlugins({ plugin: 'dead' })
    const revive = kill(manner, ALL_CALLS)
    await clock.advance(HOUR)
    const ticking = kernel.tick({ limit: 10_000 })
    const others = async (): Promise<void> => {
      while (alive.users.size > 1 || (await kernel.transit.readKey({ name: 'k' })).latest_version < 2) await clock.sleep(10)
    }
    const { took } = await driven(clock, others())
    expect(took).toBeLessThanOrEqual(DEADLINE)
    const { value, took: more } = await driven(clock, ticking)
    expect(took + more).toBeLessThanOrEqual(3 * DEADLINE)
    // Some leases were tried twice while the tick waited.
    expect(value.done).toBeGreaterThanOrEqual(DEAD + ALIVE + 1)
    expect([value.failed, value.more, dead.users.size]).toEqual([[], false, DEAD + 1])

    await clock.advance(HOUR)
    const again = kernel.tick({ limit: 10_000 })
    again.catch(() => {})
    await clock.advance(100)
    expect((await driven(clock, kernel.close(), 3 * DEADLINE)).took).toBeLessThanOrEqual(DEADLINE)
    revive()
    await clock.advance(HOUR)
    expect([dead.open, alive.open]).toEqual([0, 0])
  })

  it('does not lose revocations: all expired users are dropped once it responds again', async () => {
    const { clock, dead, kernel, kill } = await openDeadDatabase()
    const revive = kill(manner, ALL_CALLS)
    await clock.advance(HOUR)
    await driven(clock, kernel.tick({ limit: 10_000 }))
    revive()
    await clock.advance(HOUR)
    await driven(clock, kernel.tick({ limit: 10_000 }))
    expect(dead.users.size).toBe(1)
    await kernel.close()
    expect(dead.open).toBe(0)
  })
})
