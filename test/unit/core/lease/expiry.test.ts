import { describe, expect, it } from 'vitest'
import { RevokeLater } from '../../../../src/core/contract/lease-handler.ts'
import { KernelError } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { type LendingWorld, openLendingWorld, upstream } from '../../../fixtures/lending.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

async function withLendingWorld(test: (lending: LendingWorld, clock: FakeClock) => Promise<void>): Promise<void> {
  const clock = fakeClock()
  const lending = await openLendingWorld({ clock })
  try {
    await test(lending, clock)
  } finally {
    await lending.kernel.close()
  }
}

const stuck = async ({ kernel }: LendingWorld) => (await kernel.leases.listIrrevocable({ type: 'irrevocable' })).leases

/** Advances the clock to each due time, `times` times, and returns the waits in milliseconds. */
async function waits(lending: LendingWorld, clock: FakeClock, times: number): Promise<readonly number[]> {
  const found: number[] = []
  for (let time = 0; time < times; time++) {
    const { nextDueAt = 0 } = await lending.kernel.tick()
    const wait = nextDueAt - clock.now()
    found.push(wait)
    await clock.advance(wait)
  }
  return found
}

describe('an expired lease', () => {
  it('is unknown to lookups at once, and the next tick revokes its secret', () =>
    withLendingWorld(async (lending, clock) => {
      const { id, guest } = await lending.enter({ ttl: 100 })
      await clock.advance(99_999)
      expect(await lending.look(id)).toBe(200)
      await clock.advance(1)
      expect(await lending.look(id)).toBe(400)
      expect((await lending.ask('LIST', 'sys/leases/lookup')).status).toBe(404)
      expect((await lending.ask('LIST', 'sys/leases/lookup/lend/creds/app')).status).toBe(404)
      expect(await lending.guests()).toEqual([guest])
      expect(await lending.kernel.tick()).toMatchObject({ done: 1, failed: [], more: false, nextDueAt: undefined })
      expect(await lending.guests()).toEqual([])
    }))

  it('is revoked when its renewed lifetime ends, not its original one', () =>
    withLendingWorld(async (lending, clock) => {
      const { id, guest } = await lending.enter({ ttl: 100 })
      await lending.kernel.leases.renewLease({ lease_id: id, increment: 1000 })
      await clock.advance(500_000)
      expect((await lending.kernel.tick()).done).toBe(0)
      expect([await lending.look(id), await lending.guests()]).toEqual([200, [guest]])
      await lending.kernel.leases.renewLease({ lease_id: id, increment: 10 })
      await clock.advance(10_000)
      expect((await lending.kernel.tick()).done).toBe(1)
      expect(await lending.guests()).toEqual([])
    }))

  it('stays expired if the clock is set back after a jump forward', () =>
    withLendingWorld(async (lending, clock) => {
      const { id, guest } = await lending.enter({ ttl: 100 })
      const start = clock.now()
      clock.set(start - DAY)
      expect((await lending.kernel.tick()).done).toBe(0)
      expect([await lending.look(id), await lending.guests()]).toEqual([200, [guest]])
      clock.set(start + 400 * DAY)
      expect(await lending.look(id)).toBe(400)
      expect(await lending.kernel.tick()).toMatchObject({ done: 1, failed: [] })
      expect(await lending.guests()).toEqual([])
      clock.set(start)
      expect(await lending.look(id)).toBe(400)
      expect(await lending.kernel.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
    }))
})

describe('an engine that fails to revoke a lease', () => {
  it('is called again after about 10 seconds, with doubling delays, and hourly from the sixth failure on', () =>
    withLendingWorld(async (lending, clock) => {
      const { id, guest } = await lending.enter({ ttl: 100 })
      await clock.advance(100_000)
      lending.trouble.error = upstream()
      const found = await waits(lending, clock, 7)
      found.slice(0, 5).forEach((wait, attempt) => {
        const middle = 10_000 * 2 ** attempt
        expect(wait).toBeGreaterThanOrEqual(middle / 2)
        expect(wait).toBeLessThanOrEqual(middle * 1.5)
      })
      expect(found.slice(5)).toEqual([HOUR, HOUR])
      expect(await lending.guests()).toEqual([guest])
      expect((await lending.ask('LIST', 'lend/traces')).status).toBe(404)
      const { accessor } = await lending.kernel.mounts.readMount({ path: 'lend' })
      expect(await stuck(lending)).toEqual([{ lease_id: id, mount_id: accessor, error: 'nobody answers' }])
      expect(await lending.kernel.leases.countLeases({ type: 'irrevocable' })).toEqual({
        lease_count: 1,
        counts: { [accessor]: 1 },
      })
      expect((await lending.ask('POST', 'sys/leases/renew', { lease_id: id })).errors).toEqual([
        'lease_id: an attempt to revoke the lease failed and will be repeated, so it cannot be renewed',
      ])
      lending.trouble.error = undefined
      expect(await lending.kernel.tick()).toMatchObject({ done: 1, failed: [], nextDueAt: undefined })
      expect([await lending.guests(), await stuck(lending)]).toEqual([[], []])
    }))

  it('is called again after each delay that it requests with RevokeLater, however often, instead of once an hour', () =>
    withLendingWorld(async (lending, clock) => {
      const { id, guest } = await lending.enter({ ttl: 100 })
      await clock.advance(100_000)
      lending.trouble.error = new RevokeLater(60_000, 'fewer requests')
      for (const wait of await waits(lending, clock, 20)) {
        expect(wait).toBeGreaterThanOrEqual(60_000)
        expect(wait).toBeLessThanOrEqual(75_000)
      }
      expect([await lending.guests(), await stuck(lending), await lending.look(id)]).toEqual([[guest], [], 400])
      expect((await lending.ask('POST', 'sys/leases/revoke', { lease_id: id, sync: true })).status).toBe(502)
      // The first attempt that counts as failed.
      lending.trouble.error = upstream()
      await lending.kernel.tick()
      const [wait = 0] = await waits(lending, clock, 1)
      expect(wait).toBeLessThanOrEqual(75_000)
      lending.trouble.error = undefined
      await clock.advance(75_000)
      expect(await lending.kernel.tick()).toMatchObject({ failed: [], nextDueAt: undefined })
      expect(await lending.guests()).toEqual([])
    }))

  it.each([
    ['ERR_UNSUPPORTED_PATH', 'there is no such thing'],
    ['ERR_UNSUPPORTED_OPERATION', 'never'],
  ] as const)('is called only hourly after a final error (%s)', (code, message) =>
    withLendingWorld(async (lending, clock) => {
      await lending.enter({ ttl: 100 })
      await clock.advance(100_000)
      lending.trouble.error = new KernelError(code, message)
      expect(await waits(lending, clock, 2)).toEqual([HOUR, HOUR])
      expect((await stuck(lending))[0]?.error).toBe(message)
    }),
  )

  it('is called again within 30 seconds after a 400 error, such as a missing connection', () =>
    withLendingWorld(async (lending, clock) => {
      await lending.enter({ ttl: 100 })
      await clock.advance(100_000)
      lending.trouble.error = new KernelError('ERR_INVALID_REQUEST', 'there is no connection named db')
      for (const wait of await waits(lending, clock, 2)) expect(wait).toBeLessThanOrEqual(30_000)
      expect(await stuck(lending)).toEqual([])
    }))

  it('has at most 240 characters of its error stored, and nothing of an unexpected error', () =>
    withLendingWorld(async (lending, clock) => {
      for (const [error, kept] of [
        [new KernelError('ERR_UNSUPPORTED_OPERATION', 'x'.repeat(1000)), 'x'.repeat(240)],
        [new Error('password=hunter2'), 'the engine failed to revoke the lease'],
      ] as const) {
        const { id } = await lending.enter({ ttl: 100 })
        await clock.advance(100_000)
        lending.trouble.error = error
        await waits(lending, clock, 7)
        expect((await stuck(lending))[0]).toMatchObject({ lease_id: id, error: kept })
        expect((await lending.ask('POST', 'sys/leases/revoke-force/lend')).status).toBe(204)
        expect(await stuck(lending)).toEqual([])
      }
    }))

  it('makes a manual revocation fail with its error, blocks renewal and is called again', () =>
    withLendingWorld(async (lending, clock) => {
      const { id, guest } = await lending.enter()
      lending.trouble.error = upstream()
      const answer = await lending.ask('POST', 'sys/leases/revoke', { lease_id: id })
      expect([answer.status, answer.errors]).toEqual([502, ['nobody answers']])
      // Vault shows the lease until the engine has revoked the secret (recorded from a live server).
      expect(await lending.look(id)).toBe(200)
      expect(await lending.guests()).toEqual([guest])
      expect((await lending.ask('POST', 'sys/leases/renew', { lease_id: id })).errors).toEqual([
        'lease_id: an attempt to revoke the lease failed and will be repeated, so it cannot be renewed',
      ])
      lending.trouble.error = undefined
      await clock.advance(15_001)
      expect((await lending.kernel.tick()).done).toBe(1)
      expect(await lending.guests()).toEqual([])
    }))

  it('does not prevent a forced revocation of the lease', () =>
    withLendingWorld(async (lending) => {
      const { id, guest } = await lending.enter()
      lending.trouble.error = upstream()
      expect((await lending.ask('POST', 'sys/leases/revoke-prefix/lend/creds')).status).toBe(502)
      expect(await lending.look(id)).toBe(200)
      expect((await lending.ask('POST', 'sys/leases/renew', { lease_id: id })).errors).toEqual([
        'lease_id: an attempt to revoke the lease failed and will be repeated, so it cannot be renewed',
      ])
      await lending.kernel.leases.forceRevokePrefix({ prefix: 'lend/creds' })
      expect(await lending.kernel.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
      expect(await lending.guests()).toEqual([guest])
    }))

  it('does not delay the revocation of leases of other mounts', () =>
    withLendingWorld(async (lending, clock) => {
      await lending.ask('POST', 'sys/mounts/other', { type: 'lending' })
      await lending.ask('GET', 'other/creds/app', { ttl: 60 })
      for (let guest = 0; guest < 5; guest++) await lending.enter({ ttl: 50 })
      await clock.advance(60_000)
      lending.trouble.error = upstream()
      expect(await lending.kernel.tick()).toMatchObject({ done: 6, failed: [] })
      lending.trouble.error = undefined
      await clock.advance(15_001)
      expect((await lending.kernel.tick()).done).toBe(6)
      expect([await lending.guests(), await lending.guests('other')]).toEqual([[], []])
    }))
})

describe('the list of irrevocable leases', () => {
  it('contains at most as many leases as the parameter limit, which must be positive or the word none', () =>
    withLendingWorld(async (lending) => {
      lending.trouble.error = new KernelError('ERR_UNSUPPORTED_OPERATION', 'no')
      for (let guest = 0; guest < 3; guest++) await lending.enter()
      expect((await lending.ask('POST', 'sys/leases/revoke-prefix/lend')).status).toBe(502)
      const count = async (limit: string) =>
        (await lending.ask('GET', 'sys/leases', { type: 'irrevocable', limit })).data?.['lease_count']
      expect([await count('2'), await count('none'), await count('')]).toEqual([2, 3, 3])
      for (const limit of ['0', '-1', 'x', '1.5'])
        expect((await lending.ask('GET', 'sys/leases', { type: 'irrevocable', limit })).status).toBe(400)
    }))
})
