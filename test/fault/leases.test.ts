/**
 * Leases when the process dies at a commit, with many concurrent requests, and with two kernels on one store.
 */
import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/index.ts'
import { type LendingWorld, openLendingWorld } from '../fixtures/lending.ts'
import { movingClock } from '../fixtures/moving-clock.ts'
import { ALL_STORES } from '../fixtures/stores.ts'
import { crashAtEach } from './lease-crashes.ts'

describe('a crash at some commits while leases are issued, renewed, revoked and expired, or their mount is removed', () => {
  it.each([
    ['before', 1],
    ['after', 5],
  ] as const)(
    'loses no lease, and leaves no issued secret without a lease, if it happens %s the commit takes effect',
    (when, first) => crashAtEach(when, first, 8),
  )
})

describe.each(ALL_STORES)('64 concurrent lease requests on $name', (store) => {
  it('that renew or revoke one lease leave the lease revoked', async () => {
    const { storage, drop } = await store.open()
    const revoked: string[] = []
    const outside = { revoke: async (guest: string) => void revoked.push(guest) }
    const lending = await openLendingWorld({ storage, clock: movingClock(), outside })
    try {
      const { id: lease_id, guest } = await lending.enter({ ttl: '1h' })
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, at) =>
          at % 2 === 0
            ? lending.ask('POST', 'sys/leases/renew', { lease_id, increment: 100 + at })
            : lending.ask('POST', 'sys/leases/revoke', { lease_id }),
        ),
      )
      for (const [at, { status, errors }] of answers.entries()) {
        if (at % 2 === 1) expect([status, errors]).toEqual([204, undefined])
        else expect([200, 400]).toContain(status)
      }
      expect(await lending.look(lease_id)).toBe(400)
      expect(await lending.guests()).toEqual([])
      expect(new Set(revoked)).toEqual(new Set([guest]))
      expect(await storage.list('l/core/lease')).toEqual([])
      expect(await storage.list('l/due/lease/')).toEqual([])
    } finally {
      await lending.kernel.close()
      await drop()
    }
  })

  it('that renew one lease all succeed, and leave one expiration time', async () => {
    const { storage, drop } = await store.open()
    const clock = movingClock()
    const lending = await openLendingWorld({ storage, clock })
    try {
      const { id: lease_id } = await lending.enter({ ttl: '1h' })
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, at) => lending.ask('POST', 'sys/leases/renew', { lease_id, increment: 1000 + at })),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect((await storage.list('l/due/lease/')).length).toBe(1)
      clock.advance(1_100_000)
      expect((await lending.kernel.tick()).done).toBe(1)
      expect(await lending.guests()).toEqual([])
    } finally {
      await lending.kernel.close()
      await drop()
    }
  })

  it('issue leases of which each is either valid or revoked if their path is revoked at the same time', async () => {
    const { storage, drop } = await store.open()
    const lending = await openLendingWorld({ storage, clock: movingClock() })
    try {
      const before = await Promise.all(Array.from({ length: 16 }, () => lending.enter()))
      const [during] = await Promise.all([
        Promise.all(Array.from({ length: 64 }, () => lending.enter())),
        lending.kernel.leases.revokePrefix({ prefix: 'lend/creds' }),
      ])
      for (const { id: lease } of before) expect(await lending.look(lease)).toBe(400)
      const good = []
      for (const { id: lease, guest } of during) if ((await lending.look(lease)) === 200) good.push(guest)
      expect(await lending.guests()).toEqual(good.sort())
      await lending.kernel.tick()
      expect(await lending.guests()).toEqual(good.sort())
    } finally {
      await lending.kernel.close()
      await drop()
    }
  })
})

describe('issuing leases', () => {
  it.each([
    ['their mount', (lending: LendingWorld) => lending.ask('DELETE', 'sys/mounts/lend')],
    [
      'the token that requests them',
      (lending: LendingWorld, token: string) => lending.ask('POST', 'auth/token/revoke', { token }),
    ],
    [
      'all leases below the path of that token',
      (lending: LendingWorld) => lending.ask('POST', 'sys/leases/revoke-prefix/auth', { sync: false }),
    ],
  ])('leaves no issued secret without a lease if a concurrent request removes or revokes %s', async (_, end) => {
    const storage = memoryStorage({ maxOps: 128 })
    const entered: string[] = []
    const revoked: string[] = []
    const outside = { revoke: async (guest: string) => void revoked.push(guest) }
    const lending = await openLendingWorld({ storage, clock: movingClock(), outside })
    const token = await lending.token()
    const take = async () => {
      const { status, data } = await lending.ask('GET', 'lend/creds/app', {}, token)
      if (status === 200) entered.push(String(data?.['guest']))
      else expect([403, 404]).toContain(status)
    }
    const takes = Array.from({ length: 24 }, take)
    await Promise.all([...takes, end(lending, token), ...Array.from({ length: 24 }, take)])
    for (let round = 0; round < 3; round++) expect((await lending.kernel.tick()).failed).toEqual([])
    expect(revoked.sort()).toEqual(entered.sort())
    expect(await storage.list('l/core/lease-mount/')).toEqual([])
    await lending.kernel.close()
  })
})

describe('two kernels on one store', () => {
  it('revoke every expired lease once', async () => {
    const storage = memoryStorage({ maxOps: 128 })
    const clock = movingClock()
    const revoked: string[] = []
    const outside = { revoke: async (guest: string) => void revoked.push(guest) }
    const a = await openLendingWorld({ storage, clock, outside })
    const b = await openLendingWorld({ storage, clock, outside, known: a.rootToken })
    const made: string[] = []
    for (let guest = 0; guest < 40; guest++) made.push((await (guest % 2 === 0 ? a : b).enter({ ttl: 60 })).guest)
    clock.advance(60_000)
    await Promise.all([a.kernel.tick(), b.kernel.tick()])
    expect(revoked.sort()).toEqual(made.sort())
    expect([await a.guests(), await b.guests()]).toEqual([[], []])
    await Promise.all([a.kernel.close(), b.kernel.close()])
  })
})
