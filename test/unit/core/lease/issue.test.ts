import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeClock } from '../../../../src/testing/index.ts'
import { type LendingWorld, openLendingWorld } from '../../../fixtures/lending.ts'

const clock = fakeClock()
let lending: LendingWorld
beforeAll(async () => {
  lending = await openLendingWorld({ clock })
})
afterAll(() => lending.kernel.close())

const LEASE_ID = /^lend\/creds\/app\/[0-9A-Za-z]{24}$/

describe('a leased secret', () => {
  it('is returned with the id of a lease that can be looked up and listed', async () => {
    const answer = await lending.ask('GET', 'lend/creds/app', { ttl: '10m' })
    expect(answer).toMatchObject({ status: 200, lease_duration: 600, renewable: true, warnings: null, auth: null })
    expect(answer.lease_id).toMatch(LEASE_ID)
    expect(Object.keys(answer.data ?? {})).toEqual(['guest'])
    const { data } = await lending.ask('POST', 'sys/leases/lookup', { lease_id: answer.lease_id })
    const now = new Date(clock.now()).toISOString()
    const end = new Date(clock.now() + 600_000).toISOString()
    expect(data).toEqual({
      id: answer.lease_id,
      issue_time: now,
      expire_time: end,
      last_renewal: null,
      renewable: true,
      ttl: 600,
    })
    const { keys } = await lending.kernel.leases.listLeases({ prefix: 'lend/creds/app' })
    expect(keys).toContain(answer.lease_id.slice('lend/creds/app/'.length))
    expect((await lending.kernel.leases.listLeases({})).keys).toContain('lend/')
  })

  it('has a lease in typed calls too, whose id begins with the path of the equivalent request', async () => {
    const { id } = await lending.enter({}, await lending.token())
    expect(id).toMatch(LEASE_ID)
    const looked = await lending.kernel.leases.lookupLease({ lease_id: id })
    expect(looked).toMatchObject({ id, ttl: 2_764_800, last_renewal: null })
  })

  it('has the requested TTL or the default of the mount, limited by the maximum of the mount and by max_ttl', async () => {
    await lending.ask('POST', 'sys/mounts/lend/tune', { default_lease_ttl: '30m', max_lease_ttl: '2h' })
    const duration = async (parameters: object) => {
      const { lease_duration, warnings } = await lending.ask('GET', 'lend/creds/app', { ...parameters })
      return [lease_duration, warnings?.length ?? 0]
    }
    expect(await duration({})).toEqual([1800, 0])
    expect(await duration({ ttl: '90m' })).toEqual([5400, 0])
    expect(await duration({ ttl: '3h' })).toEqual([7200, 1])
    expect(await duration({ ttl: '90m', max_ttl: '1h' })).toEqual([3600, 1])
    expect(await duration({ max_ttl: '5h' })).toEqual([1800, 0])
    await lending.ask('POST', 'sys/mounts/lend/tune', { default_lease_ttl: 'system', max_lease_ttl: 'system' })
  })

  it('ends when the batch token that requested it expires, even after a renewal', async () => {
    const token = await lending.token({ type: 'batch', ttl: '5m' })
    await clock.advance(400)
    const { lease_id, lease_duration, warnings } = await lending.ask('GET', 'lend/creds/app', { ttl: '10m' }, token)
    expect([lease_duration, warnings]).toEqual([299, null])
    await clock.advance(60_000)
    const renewed = await lending.ask('POST', 'sys/leases/renew', { lease_id, increment: '30m' })
    expect(renewed).toMatchObject({ status: 200, lease_duration: 239, warnings: null })
    await clock.advance(239_000)
    expect(await lending.look(lease_id)).toBe(400)
  })

  it('is refused to a token that has one use left, and the earlier leases of that token end', async () => {
    const token = await lending.token({ num_uses: 2 })
    const first = await lending.enter({}, token)
    await lending.kernel.tick()
    const before = (await lending.guests()).length
    const last = await lending.ask('GET', 'lend/creds/app', {}, token)
    expect(last.status).toBe(400)
    expect(last.errors).toEqual([
      'Secret cannot be returned; token had one use left, so leased credentials were immediately revoked.',
    ])
    expect(await lending.look(first.id)).toBe(400)
    await lending.kernel.tick()
    expect((await lending.guests()).length).toBe(before - 1)
  })

  it('is refused with 500 and has no lease if its engine cannot revoke it', async () => {
    await lending.ask('POST', 'sys/mounts/careless', { type: 'careless' })
    expect((await lending.ask('GET', 'careless/creds')).status).toBe(500)
    expect((await lending.ask('LIST', 'sys/leases/lookup/careless')).status).toBe(404)
  })

  it('in a namespace has a lease id that ends with the namespace id and is valid in every namespace', async () => {
    await lending.kernel.namespaces.createNamespace({ name: 'team' })
    const { id } = await lending.kernel.namespaces.readNamespace({ name: 'team' })
    await lending.ask('POST', 'team/sys/mounts/lend', { type: 'lending' })
    const answer = await lending.ask('GET', 'team/lend/creds/app', { ttl: 60 })
    expect(answer.lease_id).toMatch(new RegExp(`^lend/creds/app/[0-9A-Za-z]{24}\\.${id}$`))
    const { lease_id } = answer
    expect(await lending.look(lease_id)).toBe(200)
    expect(await lending.look(lease_id.slice(0, -7))).toBe(400)
    const listed = await lending.ask('LIST', 'team/sys/leases/lookup/lend/creds/app')
    expect(listed.data).toEqual({ keys: [lease_id.slice('lend/creds/app/'.length)] })
    expect(await lending.ask('POST', `sys/leases/renew/${lease_id}`, { increment: 100 })).toMatchObject({
      status: 200,
      lease_id,
      lease_duration: 100,
    })
    expect((await lending.ask('POST', 'sys/leases/revoke', { lease_id })).status).toBe(204)
    expect(await lending.look(lease_id)).toBe(400)
    expect(await lending.guests('team/lend')).toEqual([])
  })

  it('is refused and not created if its path is too long for a record key', async () => {
    const before = await lending.guests()
    expect((await lending.ask('GET', `lend/creds/${'x'.repeat(1850)}`)).status).toBe(400)
    expect(await lending.guests()).toEqual(before)
  })
})

describe('an unknown lease id or prefix', () => {
  const LONG = 'x/'.repeat(3000).slice(0, -1)

  it.each(['none', 'none/such', '/', 'a//b', `${LONG}`, 'ü/ö', 'lend/creds/app/'])(
    'is refused by lookup and renewal, and ignored by revocation: %.20s',
    async (lease_id) => {
      expect((await lending.ask('POST', 'sys/leases/lookup', { lease_id })).errors).toEqual(['invalid lease'])
      expect((await lending.ask('POST', 'sys/leases/renew', { lease_id })).errors).toEqual(['lease not found'])
      expect((await lending.ask('POST', 'sys/leases/revoke', { lease_id })).status).toBe(204)
    },
  )

  it.each(['none', 'none/such', `${LONG}`, 'ü/ö', 'lend/creds/app/'])(
    'is listed as empty, and is revoked without an error: %.20s',
    async (prefix) => {
      expect(await lending.kernel.leases.listLeases({ prefix: `none/${prefix}` })).toEqual({ keys: [] })
      expect(await lending.kernel.leases.revokePrefix({ prefix: `none/${prefix}` })).toEqual({})
    },
  )
})
