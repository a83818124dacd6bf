import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { openLendingWorld } from '../../../fixtures/lending.ts'

const open = async () => {
  const clock = fakeClock()
  const storage = memoryStorage({ maxOps: 128 })
  const lending = await openLendingWorld({ clock, storage })
  const keys = async (folder: string) => (await storage.list(`l/core/${folder}/`)).length
  return { clock, storage, lending, keys, [Symbol.asyncDispose]: () => lending.kernel.close() }
}

describe('the leases of a token', () => {
  it('end when the token or an ancestor is revoked, and a tick revokes their secrets', async () => {
    await using all = await open()
    const { lending, keys } = all
    const parent = await lending.token()
    const child = String((await lending.ask('POST', 'auth/token/create', { policies: ['all'] }, parent)).auth?.['client_token'])
    const [a, b, c] = [await lending.enter({}, parent), await lending.enter({}, child), await lending.enter()]
    expect((await lending.ask('POST', 'sys/leases/renew', { lease_id: a.id, increment: 60 }, child)).status).toBe(200)
    await lending.ask('POST', 'auth/token/revoke', { token: parent })
    expect([await lending.look(a.id), await lending.look(b.id), await lending.look(c.id)]).toEqual([400, 400, 200])
    expect((await lending.kernel.leases.listLeases({ prefix: 'lend/creds/app' })).keys).toHaveLength(1)
    expect((await lending.ask('POST', 'sys/leases/renew', { lease_id: b.id })).errors).toEqual(['lease expired'])
    expect((await lending.guests()).length).toBe(3)
    await lending.kernel.tick()
    expect(await lending.guests()).toEqual([c.guest])
    // The remaining secret belongs to the root token.
    expect([await keys('lease'), await keys('lease-owner'), await keys('lease-mount')]).toEqual([1, 1, 1])
  })

  it('end when the token expires or has no uses left, even if their own TTL is longer', async () => {
    await using all = await open()
    const { lending, clock } = all
    const short = await lending.enter({ ttl: '10m' }, await lending.token({ ttl: '2s' }))
    const twice = await lending.token({ num_uses: 2 })
    const used = await lending.enter({}, twice)
    await lending.ask('GET', 'auth/token/lookup-self', {}, twice)
    expect(await lending.look(used.id)).toBe(400)
    await clock.advance(2000)
    expect(await lending.look(short.id)).toBe(400)
    await lending.kernel.tick()
    expect(await lending.guests()).toEqual([])
  })

  it('end when the token is revoked without its children, whose leases continue', async () => {
    await using all = await open()
    const { lending } = all
    const parent = await lending.token()
    const child = String((await lending.ask('POST', 'auth/token/create', { policies: ['all'] }, parent)).auth?.['client_token'])
    const [a, b] = [await lending.enter({}, parent), await lending.enter({}, child)]
    await lending.ask('POST', 'auth/token/revoke-orphan', { token: parent })
    expect([await lending.look(a.id), await lending.look(b.id)]).toEqual([400, 200])
    await lending.kernel.tick()
    expect(await lending.look(b.id)).toBe(200)
    expect(await lending.guests()).toEqual([b.guest])
  })

  it('end when the parent of the token is revoked, if the token is a batch token', async () => {
    await using all = await open()
    const { lending } = all
    const parent = await lending.token()
    const batch = String(
      (await lending.ask('POST', 'auth/token/create', { policies: ['all'], type: 'batch', ttl: '1h' }, parent)).auth?.[
        'client_token'
      ],
    )
    const { id } = await lending.enter({}, batch)
    expect(await lending.look(id)).toBe(200)
    await lending.ask('POST', 'auth/token/revoke', { token: parent })
    expect(await lending.look(id)).toBe(400)
    await lending.kernel.tick()
    expect(await lending.guests()).toEqual([])
  })

  it('are deleted in commits of at most 128 operations, however many leases and children the token has', async () => {
    await using all = await open()
    const { lending, storage } = all
    const parent = await lending.token()
    for (let guest = 0; guest < 40; guest++) await lending.enter({}, parent)
    for (let child = 0; child < 20; child++) {
      const { auth } = await lending.ask('POST', 'auth/token/create', { policies: ['all'] }, parent)
      if (child % 3 === 0) await lending.enter({}, String(auth?.['client_token']))
    }
    expect((await lending.guests()).length).toBe(47)
    await lending.ask('POST', 'auth/token/revoke', { token: parent })
    for (let round = 0; round < 5; round++) expect((await lending.kernel.tick()).failed).toEqual([])
    expect(await lending.guests()).toEqual([])
    expect(await storage.list('l/core/lease')).toEqual([])
    // Only the root token remains.
    expect((await storage.list('l/core/token/')).length).toBe(1)
  })
})
