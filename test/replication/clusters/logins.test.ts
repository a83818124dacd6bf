import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../../src/testing/index.ts'
import { BOUND, HOST, jwtOf, KEYS, NOW, WEB } from '../../engines/orchestrator/world.ts'
import { clusters, pair } from './cluster.ts'

describe('a login on a secondary', () => {
  const opened = async () => {
    const all = clusters()
    const clock = fakeClock(NOW * 1000)
    const [primary, secondary] = await pair({ make: () => all.make({ clock }) })
    await primary.orchestrator.configure({ orchestrator_host: HOST, pem_keys: KEYS })
    await primary.orchestrator.writeRole({ name: 'web', ...BOUND })
    await secondary.tick()
    return { primary, secondary }
  }

  it('creates the entity on the primary, but the token on the secondary', async () => {
    const { primary, secondary } = await opened()
    const first = await secondary.orchestrator.login({ role: 'web', jwt: jwtOf() })
    const again = await secondary.orchestrator.login({ role: 'web', jwt: jwtOf() })
    expect(again.entity_id).toBe(first.entity_id)
    expect((await primary.identity.readEntity({ id: first.entity_id })).id).toBe(first.entity_id)
    expect((await secondary.as(first.client_token).tokens.lookupSelf()).entity_id).toBe(first.entity_id)
    await expect(primary.as(first.client_token).tokens.lookupSelf()).rejects.toMatchObject({ status: 403 })
    const there = await primary.orchestrator.login({ role: 'web', jwt: jwtOf() })
    expect(there.entity_id).toBe(first.entity_id)
  })

  it('creates one entity per account even if several clients log in with the account concurrently', async () => {
    const { primary, secondary } = await opened()
    await primary.orchestrator.writeRole({ name: 'web', ...BOUND, bound_service_account_names: ['*'] })
    await secondary.tick()
    const accounts = Array.from({ length: 6 }, (_, n) => ({ ...WEB, name: `web-${n % 3}`, uid: `uid-${n % 3}` }))
    const logins = await Promise.all(
      accounts.map((account) => secondary.orchestrator.login({ role: 'web', jwt: jwtOf(account) })),
    )
    expect(new Set(logins.map(({ entity_id }) => entity_id)).size).toBe(3)
    expect(new Set(logins.map(({ client_token }) => client_token)).size).toBe(6)
  })

  it('succeeds without the primary if the account already has an entity', async () => {
    const { primary, secondary } = await opened()
    const first = await secondary.orchestrator.login({ role: 'web', jwt: jwtOf() })
    await primary.close()
    expect((await secondary.orchestrator.login({ role: 'web', jwt: jwtOf() })).entity_id).toBe(first.entity_id)
    await expect(secondary.orchestrator.login({ role: 'web', jwt: jwtOf({ ...WEB, uid: 'new' }) })).rejects.toMatchObject({
      status: 503,
    })
  })
})
