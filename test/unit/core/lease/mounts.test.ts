import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../../src/index.ts'
import { type FakeClock, fakeClock } from '../../../../src/testing/index.ts'
import { type House, openHouse, upstream } from '../../../fixtures/lending.ts'
import { type MovingClock, movingClock } from '../../../fixtures/moving-clock.ts'
import { keysOf } from '../../sys/mounts/support.ts'

const open = async (clock: FakeClock | MovingClock = fakeClock()) => {
  const storage = memoryStorage({ maxOps: 128 })
  const revoked: string[] = []
  const house = await openHouse({ clock, storage, outside: { revoke: async (guest) => void revoked.push(guest) } })
  const { uuid } = await house.kernel.mounts.readMount({ path: 'lend' })
  const keys = () => keysOf(storage, uuid)
  return { clock, storage, house, revoked, keys, uuid, [Symbol.asyncDispose]: () => house.kernel.close() }
}

async function tickUntilDone({ kernel }: House): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const { done, failed } = await kernel.tick()
    expect(failed).toEqual([])
    if (done === 0) return
  }
}

describe('a mount of a leasing engine', () => {
  it('that is disabled is unknown at once, and ticks delete its records after its engine has revoked the leases', async () => {
    await using all = await open()
    const { house, revoked, keys } = all
    const found = []
    for (let guest = 0; guest < 70; guest++) found.push(await house.enter({}, guest % 2 === 0 ? undefined : await house.token()))
    await house.kernel.mounts.deleteMount({ path: 'lend' })
    for (const { id } of found) expect(await house.look(id)).toBe(400)
    expect((await house.ask('GET', 'lend/creds/app')).status).toBe(404)
    expect((await house.ask('LIST', 'sys/leases/lookup/lend')).status).toBe(404)
    expect(Object.keys((await house.kernel.mounts.listMounts()).mounts)).not.toContain('lend/')
    expect((await house.ask('GET', 'sys/mounts/lend')).status).toBe(400)
    expect((await house.ask('DELETE', 'sys/mounts/lend')).status).toBe(204)
    await tickUntilDone(house)
    expect(revoked.sort()).toEqual(found.map(({ guest }) => guest).sort())
    expect(await keys()).toEqual([])
  })

  it('that is disabled keeps its records while its engine fails to revoke, but frees its path at once', async () => {
    await using all = await open()
    const { house, keys, clock, revoked } = all
    const old = await house.enter()
    house.trouble.error = upstream()
    await house.kernel.mounts.deleteMount({ path: 'lend' })
    await tickUntilDone(house)
    expect(await house.look(old.id)).toBe(400)
    expect((await keys()).length).toBeGreaterThan(0)
    await house.kernel.mounts.createMount({ path: 'lend', type: 'lending' })
    const fresh = await house.enter()
    expect(await house.guests()).toEqual([fresh.guest])
    house.trouble.error = undefined
    await clock.advance(15_001)
    await tickUntilDone(house)
    expect(revoked).toContain(old.guest)
    expect(revoked).not.toContain(fresh.guest)
    expect(await keys()).toEqual([])
    expect(await house.look(fresh.id)).toBe(200)
  })

  it('that is disabled is deleted after a forced revocation if its engine never succeeds in revoking', async () => {
    await using all = await open()
    const { house, keys } = all
    await house.enter()
    house.trouble.error = upstream()
    await house.kernel.mounts.deleteMount({ path: 'lend' })
    await tickUntilDone(house)
    await house.kernel.leases.forceRevokePrefix({ prefix: 'lend' })
    await tickUntilDone(house)
    expect(await keys()).toEqual([])
  })

  it('that never issued a lease is deleted completely when it is disabled', async () => {
    await using all = await open()
    const { house, keys } = all
    await house.kernel.mounts.deleteMount({ path: 'lend' })
    await tickUntilDone(house)
    expect(await keys()).toEqual([])
    expect(await house.kernel.tick()).toMatchObject({ done: 0, nextDueAt: undefined })
  })

  it('revokes its leases when it is moved, even if it is then moved back', async () => {
    await using all = await open(movingClock())
    const { house, revoked } = all
    const old = await house.enter()
    await house.kernel.mounts.moveMount({ from: 'lend', to: 'lent' })
    expect(await house.look(old.id)).toBe(400)
    await house.kernel.mounts.moveMount({ from: 'lent', to: 'lend' })
    expect(await house.look(old.id)).toBe(400)
    const fresh = await house.enter()
    await tickUntilDone(house)
    expect(revoked).toEqual([old.guest])
    expect(await house.guests()).toEqual([fresh.guest])
    expect(await house.look(fresh.id)).toBe(200)
  })

  it('is deleted with its namespace, after its engine has revoked the leases', async () => {
    await using all = await open()
    const { house, revoked, storage } = all
    await house.kernel.namespaces.createNamespace({ name: 'team' })
    const { uuid } = await house.kernel.namespaces.readNamespace({ name: 'team' })
    await house.ask('POST', 'team/sys/mounts/lend', { type: 'lending' })
    const { data } = await house.ask('GET', 'team/lend/creds/app')
    await house.kernel.namespaces.deleteNamespace({ name: 'team' })
    await tickUntilDone(house)
    expect(revoked).toEqual([data?.['guest']])
    expect((await storage.list('')).filter((key) => key.includes(uuid) && !key.startsWith('i/claim/'))).toEqual([])
    expect(await storage.list('l/core/lease-mount/')).toEqual([])
  })
})

describe('tokens of an auth method', () => {
  const enter = async (house: House, path: string): Promise<string> =>
    String((await house.ask('POST', `${path}/login`, {}, '')).data?.['client_token'])
  const status = async (house: House, token: string) => (await house.ask('GET', 'auth/token/lookup-self', {}, token)).status

  it.each([
    ['disabled', (house: House) => house.ask('DELETE', 'sys/auth/portal')],
    ['moved', (house: House) => house.ask('POST', 'sys/remount', { from: 'auth/portal', to: 'auth/gate' })],
    ['revoked by path', (house: House) => house.ask('POST', 'sys/leases/revoke-prefix/auth/portal', { sync: false })],
  ])('are refused at once and deleted later when the auth method is %s', async (_, end) => {
    await using all = await open()
    const { house, storage } = all
    for (const path of ['portal', 'other']) await house.ask('POST', `sys/auth/${path}`, { type: 'portal' })
    const [token, other] = [await enter(house, 'auth/portal'), await enter(house, 'auth/other')]
    expect((await house.kernel.leases.listLeases({ prefix: 'auth/portal/login' })).keys).toHaveLength(1)
    expect([await status(house, token), await status(house, other)]).toEqual([200, 200])
    expect((await end(house)).status).toBeLessThan(300)
    expect([await status(house, token), await status(house, other)]).toEqual([403, 200])
    expect((await house.kernel.leases.listLeases({ prefix: 'auth' })).keys).toEqual(['other/'])
    await tickUntilDone(house)
    expect([await status(house, token), await status(house, other)]).toEqual([403, 200])
    // The root token and the token of the other mount remain.
    expect((await storage.list('l/core/token/')).length).toBe(2)
  })
})

describe('a folder of leases', () => {
  it('is listed until the last of its leases has expired', async () => {
    const clock = fakeClock()
    await using all = await open(clock)
    const { house } = all
    for (let guest = 0; guest < 150; guest++) await house.enter({ ttl: 10 })
    const last = await house.enter({ ttl: 20 })
    await clock.advance(10_000)
    const keys = async (prefix: string) => (await house.kernel.leases.listLeases({ prefix })).keys
    expect([await keys('lend'), await keys('lend/creds/app')]).toEqual([['creds/'], [last.id.slice('lend/creds/app/'.length)]])
    await clock.advance(10_000)
    expect([await keys(''), await keys('lend/creds/app')]).toEqual([[], []])
  })
})
