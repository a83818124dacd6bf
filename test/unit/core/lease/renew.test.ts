/** Expected results are those of Vault. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KernelError } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { type LendingWorld, openLendingWorld } from '../../../fixtures/lending.ts'
import { refusalOf } from '../../../property/support.ts'

const clock = fakeClock()
let lending: LendingWorld
beforeAll(async () => {
  lending = await openLendingWorld({ clock })
})
afterAll(() => lending.kernel.close())

const renew = (lease_id: string, increment: number | string = 0) =>
  lending.ask('POST', 'sys/leases/renew', { lease_id, increment })

describe('a lease renewal', () => {
  it('sets the lease to end the requested TTL from now, by default the original TTL', async () => {
    const { id } = await lending.enter({ ttl: '10m' })
    await clock.advance(300_000)
    expect(await renew(id)).toMatchObject({ status: 200, lease_id: id, lease_duration: 600, renewable: true, data: null })
    expect(await renew(id, '20m')).toMatchObject({ lease_duration: 1200, warnings: null })
    expect(await renew(id, 30)).toMatchObject({ lease_duration: 30 })
    const { data } = await lending.ask('POST', 'sys/leases/lookup', { lease_id: id })
    expect(data).toMatchObject({ ttl: 30, last_renewal: new Date(clock.now()).toISOString() })
    await clock.advance(30_000)
    expect((await renew(id)).errors).toEqual(['lease expired'])
    await lending.kernel.tick()
    expect((await renew(id)).errors).toEqual(['lease not found'])
  })

  it('accepts the lease id in the body or the path, under the current and the old paths', async () => {
    const { id } = await lending.enter({ ttl: '10m' })
    const token = await lending.token()
    for (const path of ['sys/leases/renew', 'sys/renew'])
      expect(await lending.ask('PUT', path, { lease_id: id, increment: 99 }, token)).toMatchObject({ lease_duration: 99 })
    for (const path of [`sys/leases/renew/${id}`, `sys/renew/${id}`])
      expect(await lending.ask('POST', path, { lease_id: 'another', increment: 77 }, token)).toMatchObject({ lease_duration: 77 })
    expect(await lending.kernel.leases.renewLease({ lease_id: id, increment: '55s' })).toEqual({
      lease_id: id,
      lease_duration: 55,
      renewable: true,
    })
  })

  it('is limited by the current maximum TTL of the mount, with a warning', async () => {
    const { id } = await lending.enter({ ttl: '10m' })
    await lending.ask('POST', 'sys/mounts/lend/tune', { default_lease_ttl: '15m', max_lease_ttl: '1h' })
    expect(await renew(id, '2h')).toMatchObject({
      lease_duration: 3600,
      warnings: ['TTL of "2h" exceeded the effective max_ttl of "1h"; TTL value is capped accordingly'],
    })
    await clock.advance(3_599_000)
    expect(await renew(id)).toMatchObject({ lease_duration: 1 })
    await lending.ask('POST', 'sys/mounts/lend/tune', { default_lease_ttl: '1m', max_lease_ttl: '2m' })
    expect((await renew(id)).errors).toEqual(['past the max TTL, cannot renew'])
    await lending.ask('POST', 'sys/mounts/lend/tune', { default_lease_ttl: 'system', max_lease_ttl: 'system' })
  })

  it('never extends the lease beyond the maximum TTL with which it was issued', async () => {
    const { id } = await lending.enter({ ttl: '10m', max_ttl: '30m' })
    await clock.advance(500_000)
    expect(await renew(id, '1h')).toMatchObject({ lease_duration: 1300 })
  })

  it('uses the TTL settings that the engine has at the renewal', async () => {
    const { id } = await lending.enter({ ttl: '10m' })
    await lending.ask('POST', 'lend/terms', { ttl: '5m', max_ttl: '20m' })
    expect(await renew(id)).toMatchObject({ lease_duration: 300 })
    expect(await renew(id, '1h')).toMatchObject({ lease_duration: 1200 })
    await lending.ask('POST', 'lend/terms', {})
  })

  it('is refused for a lease that is not renewable, an invalid increment or a missing lease id', async () => {
    const { id } = await lending.enter({ renewable: false })
    expect((await renew(id)).errors).toEqual(['lease is not renewable'])
    expect((await lending.ask('POST', 'sys/leases/lookup', { lease_id: id })).data).toMatchObject({ renewable: false })
    const good = await lending.enter()
    expect((await renew(good.id, -1)).status).toBe(400)
    expect((await renew(good.id, 'soon')).status).toBe(400)
    expect((await lending.ask('POST', 'sys/leases/renew', {})).errors).toEqual(['lease_id must be specified'])
    expect((await refusalOf(lending.kernel.leases.renewLease({} as never))).message).toBe('lease_id must be specified')
  })

  it('is refused and changes nothing if the engine refuses', async () => {
    const { id } = await lending.enter({ ttl: '10m' })
    lending.trouble.renewing = new KernelError('ERR_PERMISSION_DENIED', 'no longer welcome')
    const { status, errors } = await renew(id, '1h')
    lending.trouble.renewing = undefined
    expect([status, errors]).toEqual([403, ['no longer welcome']])
    expect((await lending.ask('POST', 'sys/leases/lookup', { lease_id: id })).data).toMatchObject({
      ttl: 600,
      last_renewal: null,
    })
  })

  it('is refused for the lease of a token', async () => {
    const token = await lending.token({ ttl: '1h' })
    const [key = ''] = (await lending.kernel.leases.listLeases({ prefix: 'auth/token/create' })).keys
    const lease_id = `auth/token/create/${key}`
    expect((await renew(lease_id)).errors).toEqual(['tokens cannot be renewed through this endpoint'])
    await lending.kernel.leases.revokeLease({ lease_id })
    expect((await renew(lease_id)).errors).toEqual(['lease not found'])
    expect(token).not.toBe('')
  })
})

describe('a root token without expiration', () => {
  it('has no lease and is not revoked by a revocation of the prefix auth', async () => {
    const { auth } = await lending.ask('POST', 'auth/token/create', { policies: ['root'] })
    expect((await lending.ask('LIST', 'sys/leases/lookup/auth/token/root')).status).toBe(404)
    expect((await lending.ask('POST', 'sys/leases/revoke-prefix/auth', { sync: false })).status).toBe(202)
    expect((await lending.ask('GET', 'auth/token/lookup-self')).status).toBe(200)
    expect((await lending.ask('GET', 'auth/token/lookup-self', {}, String(auth?.['client_token']))).status).toBe(200)
    await lending.kernel.tick()
    expect((await lending.ask('GET', 'auth/token/lookup-self')).status).toBe(200)
  })
})
