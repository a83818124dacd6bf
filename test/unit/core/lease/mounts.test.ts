import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { type LendingWorld, openLendingWorld, upstream } from '../../../fixtures/lending.ts'
import { type MovingClock, movingClock } from '../../../fixtures/moving-clock.ts'
import { keysOf } from '../../sys/mounts/support.ts'

const open = async (clock: FakeClock | MovingClock = fakeClock()) => {
  const storage = memoryStorage({ maxOps: 128 })
  const revoked: string[] = []
  const lending = await openLendingWorld({ clock, storage, outside: { revoke: async (guest) => void revoked.push(guest) } })
  const { uuid } = await lending.kernel.mounts.readMount({ path: 'lend' })
  const keys = () => keysOf(storage, uuid)
  return { clock, storage, lending, revoked, keys, uuid, [Symbol.asyncDispose]: () => lending.kernel.close() }
}

async function tickUntilDone({ kernel }: LendingWorld): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const { done, failed } = await kernel.tick()
    expect(failed).toEqual([])
    if (done === 0) return
  }
}

describe('a mount of a leasing engine', () => {
  it('that is disabled is unknown at once, and ticks delete its records after its engine has revoked the leases', async () => {
    await using all = await open()
    const { lending, revoked, keys } = all
    const found = []
    for (let guest = 0; guest < 70; guest++)
      found.push(await lending.enter({}, guest % 2 === 0 ? undefined : await lending.token()))
    await lending.kernel.mounts.deleteMount({ path: 'lend' })
    for (const { id } of found) expect(await lending.look(id)).toBe(400)
    expect((await lending.ask('GET', 'lend/creds/app')).status).toBe(404)
    expect((await lending.ask('LIST', 'sys/leases/lookup/lend')).status).toBe(404)
    expect(Object.keys((await lending.kernel.mounts.listMounts()).mounts)).not.toContain('lend/')
    expect((await lending.ask('GET', 'sys/mounts/lend')).status).toBe(400)
    expect((await lending.ask('DELETE', 'sys/mounts/lend')).status).toBe(204)
    await tickUntilDone(lending)
    expect(revoked.sort()).toEqual(found.map(({ guest }) => guest).sort())
    expect(await keys()).toEqual([])
  })

  it('that is disabled keeps its records while its engine fails to revoke, but frees its path at once', async () => {
    await using all = await open()
    const { lending, keys, clock, revoked } = all
    const old = await lending.enter()
    lending.trouble.error = upstream()
    await lending.kernel.mounts.deleteMount({ path: 'lend' })
    await tickUntilDone(lending)
    expect(await lending.look(old.id)).toBe(400)
    expect((await keys()).length).toBeGreaterThan(0)
    await lending.kernel.mounts.createMount({ path: 'lend', type: 'lending' })
    const fresh = await lending.enter()
    expect(await lending.guests()).toEqual([fresh.guest])
    lending.trouble.error = undefined
    await clock.advance(15_001)
    await tickUntilDone(lending)
    expect(revoked).toContain(old.guest)
    expect(revoked).not.toContain(fresh.guest)
    expect(await keys()).toEqual([])
    expect(await lending.look(fresh.id)).toBe(200)
  })

  it('that is disabled is deleted after a forced revocation if its engine never succeeds in revoking', async () => {
    await using all = await open()
    const { lending, keys } = all
    await lending.enter()
    lending.trouble.error = upstream()
    await lending.kernel.mounts.deleteMount({ path: 'lend' })
    await tickUntilDone(lending)
    await lending.kernel.leases.forceRevokePrefix({ prefix: 'lend' })
    await tickUntilDone(lending)
    expect(await keys()).toEqual([])
  })

  it('that never issued a lease is deleted completely when it is disabled', async () => {
    await using all = await open()
    const { lending, keys } = all
    await lending.kernel.mounts.deleteMount({ path: 'lend' })
    await tickUntilDone(lending)
    expect(await keys()).toEqual([])
    expect(await lending.kernel.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })

  it('revokes its leases when it is moved, even if it is then moved back', async () => {
    await using all = await open(movingClock())
    const { lending, revoked } = all
    const old = await lending.enter()
    await lending.kernel.mounts.moveMount({ from: 'lend', to: 'lent' })
    expect(await lending.look(old.id)).toBe(400)
    await lending.kernel.mounts.moveMount({ from: 'lent', to: 'lend' })
    expect(await lending.look(old.id)).toBe(400)
    const fresh = await lending.enter()
    await tickUntilDone(lending)
    expect(revoked).toEqual([old.guest])
    expect(await lending.guests()).toEqual([fresh.guest])
    expect(await lending.look(fresh.id)).toBe(200)
  })

  it('is deleted with its namespace, after its engine has revoked the leases', async () => {
    await using all = await open()
    const { lending, revoked, storage } = all
    await lending.kernel.namespaces.createNamespace({ name: 'team' })
    const { uuid } = await lending.kernel.namespaces.readNamespace({ name: 'team' })
    await lending.ask('POST', 'team/sys/mounts/lend', { type: 'lending' })
    const { data } = await lending.ask('GET', 'team/lend/creds/app')
    await lending.kernel.namespaces.deleteNamespace({ name: 'team' })
    await tickUntilDone(lending)
    expect(revoked).toEqual([data?.['guest']])
    expect((await storage.list('')).filter((key) => key.includes(uuid) && !key.startsWith('i/claim/'))).toEqual([])
    expect(await storage.list('l/core/lease-mount/')).toEqual([])
  })
})

describe('tokens of an auth method', () => {
  const enter = async (lending: LendingWorld, path: string): Promise<string> =>
    String((await lending.ask('POST', `${path}/login`, {}, '')).data?.['client_token'])
  const status = async (lending: LendingWorld, token: string) =>
    (await lending.ask('GET', 'auth/token/lookup-self', {}, token)).status

  it.each([
    ['disabled', (lending: LendingWorld) => lending.ask('DELETE', 'sys/auth/portal')],
    ['moved', (lending: LendingWorld) => lending.ask('POST', 'sys/remount', { from: 'auth/portal', to: 'auth/gate' })],
    ['revoked by path', (lending: LendingWorld) => lending.ask('POST', 'sys/leases/revoke-prefix/auth/portal', { sync: false })],
  ])('are refused at once and deleted later when the auth method is %s', async (_, end) => {
    await using all = await open()
    const { lending, storage } = all
    for (const path of ['portal', 'other']) await lending.ask('POST', `sys/auth/${path}`, { type: 'portal' })
    const [token, other] = [await enter(lending, 'auth/portal'), await enter(lending, 'auth/other')]
    expect((await lending.kernel.leases.listLeases({ prefix: 'auth/portal/login' })).keys).toHaveLength(1)
    expect([await status(lending, token), await status(lending, other)]).toEqual([200, 200])
    expect((await end(lending)).status).toBeLessThan(300)
    expect([await status(lending, token), await status(lending, other)]).toEqual([403, 200])
    expect((await lending.kernel.leases.listLeases({ prefix: 'auth' })).keys).toEqual(['other/'])
    await tickUntilDone(lending)
    expect([await status(lending, token), await status(lending, other)]).toEqual([403, 200])
    // The root token and the token of the other mount remain.
    expect((await storage.list('l/core/token/')).length).toBe(2)
  })
})

describe('a folder of leases', () => {
  it('is listed until the last of its leases has expired', async () => {
    const clock = fakeClock()
    await using all = await open(clock)
    const { lending } = all
    for (let guest = 0; guest < 150; guest++) await lending.enter({ ttl: 10 })
    const last = await lending.enter({ ttl: 20 })
    await clock.advance(10_000)
    const keys = async (prefix: string) => (await lending.kernel.leases.listLeases({ prefix })).keys
    expect([await keys('lend'), await keys('lend/creds/app')]).toEqual([['creds/'], [last.id.slice('lend/creds/app/'.length)]])
    await clock.advance(10_000)
    expect([await keys(''), await keys('lend/creds/app')]).toEqual([[], []])
  })
})
