import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { openHouse } from '../../../fixtures/lending.ts'

const open = async () => {
  const clock = fakeClock()
  const storage = memoryStorage({ maxOps: 128 })
  const house = await openHouse({ clock, storage })
  const keys = async (folder: string) => (await storage.list(`l/core/${folder}/`)).length
  return { clock, storage, house, keys, [Symbol.asyncDispose]: () => house.kernel.close() }
}

describe('the leases of a token', () => {
  it('end when the token or an ancestor is revoked, and a tick revokes their secrets', async () => {
    await using all = await open()
    const { house, keys } = all
    const parent = await house.token()
    const child = String((await house.ask('POST', 'auth/token/create', { policies: ['all'] }, parent)).auth?.['client_token'])
    const [a, b, c] = [await house.enter({}, parent), await house.enter({}, child), await house.enter()]
    expect((await house.ask('POST', 'sys/leases/renew', { lease_id: a.id, increment: 60 }, child)).status).toBe(200)
    await house.ask('POST', 'auth/token/revoke', { token: parent })
    expect([await house.look(a.id), await house.look(b.id), await house.look(c.id)]).toEqual([400, 400, 200])
    expect((await house.kernel.leases.listLeases({ prefix: 'lend/creds/app' })).keys).toHaveLength(1)
    expect((await house.ask('POST', 'sys/leases/renew', { lease_id: b.id })).errors).toEqual(['lease expired'])
    expect((await house.guests()).length).toBe(3)
    await house.kernel.tick()
    expect(await house.guests()).toEqual([c.guest])
    // The remaining secret belongs to the root token.
    expect([await keys('lease'), await keys('lease-owner'), await keys('lease-mount')]).toEqual([1, 1, 1])
  })

  it('end when the token expires or has no uses left, even if their own TTL is longer', async () => {
    await using all = await open()
    const { house, clock } = all
    const short = await house.enter({ ttl: '10m' }, await house.token({ ttl: '2s' }))
    const twice = await house.token({ num_uses: 2 })
    const used = await house.enter({}, twice)
    await house.ask('GET', 'auth/token/lookup-self', {}, twice)
    expect(await house.look(used.id)).toBe(400)
    await clock.advance(2000)
    expect(await house.look(short.id)).toBe(400)
    await house.kernel.tick()
    expect(await house.guests()).toEqual([])
  })

  it('end when the token is revoked without its children, whose leases continue', async () => {
    await using all = await open()
    const { house } = all
    const parent = await house.token()
    const child = String((await house.ask('POST', 'auth/token/create', { policies: ['all'] }, parent)).auth?.['client_token'])
    const [a, b] = [await house.enter({}, parent), await house.enter({}, child)]
    await house.ask('POST', 'auth/token/revoke-orphan', { token: parent })
    expect([await house.look(a.id), await house.look(b.id)]).toEqual([400, 200])
    await house.kernel.tick()
    expect(await house.look(b.id)).toBe(200)
    expect(await house.guests()).toEqual([b.guest])
  })

  it('of a batch token end when the parent of that token is revoked', async () => {
    await using all = await open()
    const { house } = all
    const parent = await house.token()
    const batch = String(
      (await house.ask('POST', 'auth/token/create', { policies: ['all'], type: 'batch', ttl: '1h' }, parent)).auth?.[
        'client_token'
      ],
    )
    const { id } = await house.enter({}, batch)
    expect(await house.look(id)).toBe(200)
    await house.ask('POST', 'auth/token/revoke', { token: parent })
    expect(await house.look(id)).toBe(400)
    await house.kernel.tick()
    expect(await house.guests()).toEqual([])
  })

  it('are deleted in commits of at most 128 operations, however many leases and children the token has', async () => {
    await using all = await open()
    const { house, storage } = all
    const parent = await house.token()
    for (let guest = 0; guest < 40; guest++) await house.enter({}, parent)
    for (let child = 0; child < 20; child++) {
      const { auth } = await house.ask('POST', 'auth/token/create', { policies: ['all'] }, parent)
      if (child % 3 === 0) await house.enter({}, String(auth?.['client_token']))
    }
    expect((await house.guests()).length).toBe(47)
    await house.ask('POST', 'auth/token/revoke', { token: parent })
    for (let round = 0; round < 5; round++) expect((await house.kernel.tick()).failed).toEqual([])
    expect(await house.guests()).toEqual([])
    expect(await storage.list('l/core/lease')).toEqual([])
    // Only the root token remains.
    expect((await storage.list('l/core/token/')).length).toBe(1)
  })
})
