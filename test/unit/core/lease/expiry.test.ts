import { describe, expect, it } from 'vitest'
import { RevokeLater } from '../../../../src/core/contract/lease-handler.ts'
import { KernelError } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { type House, openHouse, upstream } from '../../../fixtures/lending.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

async function withHouse(test: (house: House, clock: FakeClock) => Promise<void>): Promise<void> {
  const clock = fakeClock()
  const house = await openHouse({ clock })
  try {
    await test(house, clock)
  } finally {
    await house.kernel.close()
  }
}

const stuck = async ({ kernel }: House) => (await kernel.leases.listIrrevocable({ type: 'irrevocable' })).leases

/** Advances the clock to each due time, `times` times, and returns the waits in milliseconds. */
async function waits(house: House, clock: FakeClock, times: number): Promise<readonly number[]> {
  const found: number[] = []
  for (let time = 0; time < times; time++) {
    const { nextDueAt = 0 } = await house.kernel.tick()
    const wait = nextDueAt - clock.now()
    found.push(wait)
    await clock.advance(wait)
  }
  return found
}

describe('an expired lease', () => {
  it('is unknown to lookups at once, and the next tick revokes its secret', () =>
    withHouse(async (house, clock) => {
      const { id, guest } = await house.enter({ ttl: 100 })
      await clock.advance(99_999)
      expect(await house.look(id)).toBe(200)
      await clock.advance(1)
      expect(await house.look(id)).toBe(400)
      expect((await house.ask('LIST', 'sys/leases/lookup')).status).toBe(404)
      expect((await house.ask('LIST', 'sys/leases/lookup/lend/creds/app')).status).toBe(404)
      expect(await house.guests()).toEqual([guest])
      expect(await house.kernel.tick()).toMatchObject({ done: 1, failed: [], more: false, nextDueAt: undefined })
      expect(await house.guests()).toEqual([])
    }))

  it('is revoked when its renewed lifetime ends, not its original one', () =>
    withHouse(async (house, clock) => {
      const { id, guest } = await house.enter({ ttl: 100 })
      await house.kernel.leases.renewLease({ lease_id: id, increment: 1000 })
      await clock.advance(500_000)
      expect((await house.kernel.tick()).done).toBe(0)
      expect([await house.look(id), await house.guests()]).toEqual([200, [guest]])
      await house.kernel.leases.renewLease({ lease_id: id, increment: 10 })
      await clock.advance(10_000)
      expect((await house.kernel.tick()).done).toBe(1)
      expect(await house.guests()).toEqual([])
    }))

  it('stays expired if the clock is set back after a jump forward', () =>
    withHouse(async (house, clock) => {
      const { id, guest } = await house.enter({ ttl: 100 })
      const start = clock.now()
      clock.set(start - DAY)
      expect((await house.kernel.tick()).done).toBe(0)
      expect([await house.look(id), await house.guests()]).toEqual([200, [guest]])
      clock.set(start + 400 * DAY)
      expect(await house.look(id)).toBe(400)
      expect(await house.kernel.tick()).toMatchObject({ done: 1, failed: [] })
      expect(await house.guests()).toEqual([])
      clock.set(start)
      expect(await house.look(id)).toBe(400)
      expect(await house.kernel.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
    }))
})

describe('an engine that fails to revoke a lease', () => {
  it('is called again after about 10 seconds, with doubling delays, and hourly from the sixth failure on', () =>
    withHouse(async (house, clock) => {
      const { id, guest } = await house.enter({ ttl: 100 })
      await clock.advance(100_000)
      house.trouble.error = upstream()
      const found = await waits(house, clock, 7)
      found.slice(0, 5).forEach((wait, attempt) => {
        const middle = 10_000 * 2 ** attempt
        expect(wait).toBeGreaterThanOrEqual(middle / 2)
        expect(wait).toBeLessThanOrEqual(middle * 1.5)
      })
      expect(found.slice(5)).toEqual([HOUR, HOUR])
      expect(await house.guests()).toEqual([guest])
      expect((await house.ask('LIST', 'lend/traces')).status).toBe(404)
      const { accessor } = await house.kernel.mounts.readMount({ path: 'lend' })
      expect(await stuck(house)).toEqual([{ lease_id: id, mount_id: accessor, error: 'nobody answers' }])
      expect(await house.kernel.leases.countLeases({ type: 'irrevocable' })).toEqual({
        lease_count: 1,
        counts: { [accessor]: 1 },
      })
      expect((await house.ask('POST', 'sys/leases/renew', { lease_id: id })).errors).toEqual([
        'lease_id: an attempt to revoke the lease failed and will be repeated, so it cannot be renewed',
      ])
      house.trouble.error = undefined
      expect(await house.kernel.tick()).toMatchObject({ done: 1, failed: [], nextDueAt: undefined })
      expect([await house.guests(), await stuck(house)]).toEqual([[], []])
    }))

  it('does not approach the hourly retries while it throws RevokeLater', () =>
    withHouse(async (house, clock) => {
      const { id, guest } = await house.enter({ ttl: 100 })
      await clock.advance(100_000)
      house.trouble.error = new RevokeLater(60_000, 'fewer requests')
      for (const wait of await waits(house, clock, 20)) {
        expect(wait).toBeGreaterThanOrEqual(60_000)
        expect(wait).toBeLessThanOrEqual(75_000)
      }
      expect([await house.guests(), await stuck(house), await house.look(id)]).toEqual([[guest], [], 400])
      expect((await house.ask('POST', 'sys/leases/revoke', { lease_id: id, sync: true })).status).toBe(502)
      // The first attempt that counts as failed.
      house.trouble.error = upstream()
      await house.kernel.tick()
      const [wait = 0] = await waits(house, clock, 1)
      expect(wait).toBeLessThanOrEqual(75_000)
      house.trouble.error = undefined
      await clock.advance(75_000)
      expect(await house.kernel.tick()).toMatchObject({ failed: [], nextDueAt: undefined })
      expect(await house.guests()).toEqual([])
    }))

  it.each([
    ['ERR_UNSUPPORTED_PATH', 'there is no such thing'],
    ['ERR_UNSUPPORTED_OPERATION', 'never'],
  ] as const)('is called only hourly after a final error (%s)', (code, message) =>
    withHouse(async (house, clock) => {
      await house.enter({ ttl: 100 })
      await clock.advance(100_000)
      house.trouble.error = new KernelError(code, message)
      expect(await waits(house, clock, 2)).toEqual([HOUR, HOUR])
      expect((await stuck(house))[0]?.error).toBe(message)
    }),
  )

  it('is called again within 30 seconds after a 400 error, such as a missing connection', () =>
    withHouse(async (house, clock) => {
      await house.enter({ ttl: 100 })
      await clock.advance(100_000)
      house.trouble.error = new KernelError('ERR_INVALID_REQUEST', 'there is no connection named db')
      for (const wait of await waits(house, clock, 2)) expect(wait).toBeLessThanOrEqual(30_000)
      expect(await stuck(house)).toEqual([])
    }))

  it('has at most 240 characters of its error stored, and nothing of an unexpected error', () =>
    withHouse(async (house, clock) => {
      for (const [error, kept] of [
        [new KernelError('ERR_UNSUPPORTED_OPERATION', 'x'.repeat(1000)), 'x'.repeat(240)],
        [new Error('password=hunter2'), 'the engine failed to revoke the lease'],
      ] as const) {
        const { id } = await house.enter({ ttl: 100 })
        await clock.advance(100_000)
        house.trouble.error = error
        await waits(house, clock, 7)
        expect((await stuck(house))[0]).toMatchObject({ lease_id: id, error: kept })
        expect((await house.ask('POST', 'sys/leases/revoke-force/lend')).status).toBe(204)
        expect(await stuck(house)).toEqual([])
      }
    }))

  it('makes a manual revocation fail with its error, blocks renewal and is called again', () =>
    withHouse(async (house, clock) => {
      const { id, guest } = await house.enter()
      house.trouble.error = upstream()
      const answer = await house.ask('POST', 'sys/leases/revoke', { lease_id: id })
      expect([answer.status, answer.errors]).toEqual([502, ['nobody answers']])
      // Vault shows the lease until the engine has revoked the secret (recorded from a live server).
      expect(await house.look(id)).toBe(200)
      expect(await house.guests()).toEqual([guest])
      expect((await house.ask('POST', 'sys/leases/renew', { lease_id: id })).errors).toEqual([
        'lease_id: an attempt to revoke the lease failed and will be repeated, so it cannot be renewed',
      ])
      house.trouble.error = undefined
      await clock.advance(15_001)
      expect((await house.kernel.tick()).done).toBe(1)
      expect(await house.guests()).toEqual([])
    }))

  it('does not prevent a forced revocation of the lease', () =>
    withHouse(async (house) => {
      const { id, guest } = await house.enter()
      house.trouble.error = upstream()
      expect((await house.ask('POST', 'sys/leases/revoke-prefix/lend/creds')).status).toBe(502)
      expect(await house.look(id)).toBe(200)
      expect((await house.ask('POST', 'sys/leases/renew', { lease_id: id })).errors).toEqual([
        'lease_id: an attempt to revoke the lease failed and will be repeated, so it cannot be renewed',
      ])
      await house.kernel.leases.forceRevokePrefix({ prefix: 'lend/creds' })
      expect(await house.kernel.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
      expect(await house.guests()).toEqual([guest])
    }))

  it('does not delay the revocation of leases of other mounts', () =>
    withHouse(async (house, clock) => {
      await house.ask('POST', 'sys/mounts/other', { type: 'lending' })
      await house.ask('GET', 'other/creds/app', { ttl: 60 })
      for (let guest = 0; guest < 5; guest++) await house.enter({ ttl: 50 })
      await clock.advance(60_000)
      house.trouble.error = upstream()
      expect(await house.kernel.tick()).toMatchObject({ done: 6, failed: [] })
      house.trouble.error = undefined
      await clock.advance(15_001)
      expect((await house.kernel.tick()).done).toBe(6)
      expect([await house.guests(), await house.guests('other')]).toEqual([[], []])
    }))
})

describe('the list of irrevocable leases', () => {
  it('has at most as many leases as the limit parameter says, which must be positive or none', () =>
    withHouse(async (house) => {
      house.trouble.error = new KernelError('ERR_UNSUPPORTED_OPERATION', 'no')
      for (let guest = 0; guest < 3; guest++) await house.enter()
      expect((await house.ask('POST', 'sys/leases/revoke-prefix/lend')).status).toBe(502)
      const count = async (limit: string) =>
        (await house.ask('GET', 'sys/leases', { type: 'irrevocable', limit })).data?.['lease_count']
      expect([await count('2'), await count('none'), await count('')]).toEqual([2, 3, 3])
      for (const limit of ['0', '-1', 'x', '1.5'])
        expect((await house.ask('GET', 'sys/leases', { type: 'irrevocable', limit })).status).toBe(400)
    }))
})
