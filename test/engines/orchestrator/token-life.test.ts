import { describe, expect, it } from 'vitest'
import type { Auth } from '../../../src/core/contract/auth-reply.ts'
import type { Kernel } from '../../../src/index.ts'
import { PATH, REFUSED, TYPED, VIEWS } from './views.ts'
import { BOUND, HOST, jwtOf, KEYS, openWorld, type World } from './world.ts'

const LOGIN = '/v1/auth/orchestrator/login'

async function lookSelf(kernel: Kernel, token: string): Promise<number> {
  const headers = { 'X-Service-Token': token }
  return (await kernel.handle({ method: 'GET', path: '/v1/auth/token/lookup-self', headers })).status
}

const tokenOf = async (world: World): Promise<string> => (await world.login(PATH, jwtOf())).auth?.client_token ?? ''

describe.each(['service', 'batch'])('a %s token that a login returned', (token_type) => {
  it('expires after its TTL', async () => {
    await using world = await openWorld({ role: { token_type, token_ttl: 60 } })
    const token = await tokenOf(world)
    await world.clock.advance(59_000)
    expect(await lookSelf(world.kernel, token)).toBe(200)
    await world.clock.advance(1_000)
    expect(await lookSelf(world.kernel, token)).toBe(403)
  })

  it('becomes invalid when its mount is deleted, even if a new mount gets the path', async () => {
    await using world = await openWorld({ role: { token_type } })
    const { kernel } = world
    const token = await tokenOf(world)
    const { client_token: other } = await kernel.tokens.createToken({ policies: ['default'] })
    expect(await lookSelf(kernel, token)).toBe(200)
    await kernel.mounts.deleteAuthMethod({ path: 'orchestrator' })
    expect(await lookSelf(kernel, token)).toBe(403)
    for (let ticks = 0; ticks < 3; ticks++) expect((await kernel.tick()).failed).toEqual([])
    await kernel.mounts.createAuthMethod({ path: 'orchestrator', type: 'orchestrator' })
    await kernel.orchestrator.configure({ orchestrator_host: HOST, pem_keys: KEYS })
    await kernel.orchestrator.writeRole({ name: 'web', ...BOUND })
    expect(await lookSelf(kernel, token)).toBe(403)
    expect(await lookSelf(kernel, other)).toBe(200)
    expect(await lookSelf(kernel, await tokenOf(world))).toBe(200)
  })

  it('remains valid after its role is deleted and the method is reconfigured', async () => {
    await using world = await openWorld({ role: { token_type } })
    const token = await tokenOf(world)
    await world.kernel.orchestrator.deleteRole({ name: 'web' })
    await world.kernel.orchestrator.configure({ orchestrator_host: 'https://other', pem_keys: KEYS })
    expect(await lookSelf(world.kernel, token)).toBe(200)
  })
})

it('revoking a login token by accessor also revokes its child tokens', async () => {
  await using world = await openWorld({ role: { token_policies: ['maker'] } })
  const { kernel } = world
  await kernel.policies.writePolicy({ name: 'maker', policy: 'path "auth/token/create" { capabilities = ["update"] }' })
  const { auth } = await world.login(PATH, jwtOf())
  const { client_token = '', accessor = '', entity_id } = auth ?? {}
  const child = await kernel.as(client_token).tokens.createToken({ policies: ['default'] })
  // A child token has the entity of its parent.
  expect(child).toMatchObject({ entity_id, orphan: false })
  await kernel.tokens.revokeAccessor({ accessor })
  expect(await lookSelf(kernel, client_token)).toBe(403)
  expect(await lookSelf(kernel, child.client_token)).toBe(403)
  expect((await world.login(PATH, jwtOf())).auth).toMatchObject({ entity_id })
})

describe('an orchestrator auth method in a namespace', () => {
  const how = { namespace: 'team', at: 'pods' }

  it('has a separate configuration and separate roles, policies and tokens', async () => {
    await using world = await openWorld()
    const { kernel } = world
    await kernel.namespaces.createNamespace({ name: 'team' })
    const team = kernel.namespace('team')
    await team.mounts.createAuthMethod({ path: 'pods', type: 'kubernetes' })
    await team.policies.writePolicy({ name: 'reader', policy: 'path "secret/*" { capabilities = ["read"] }' })
    for (const view of VIEWS) {
      expect((await view.ask(kernel, 'readConfig', {}, how)).status).toBe(404)
      expect((await view.ask(kernel, 'configure', { orchestrator_host: HOST, pem_keys: KEYS }, how)).status).toBe(204)
      expect((await view.ask(kernel, 'writeRole', { name: 'in', ...BOUND, token_policies: ['reader'] }, how)).status).toBe(204)
      const { auth } = await world.login(view, jwtOf(), { ...how, role: 'in' })
      const { client_token = '' } = auth ?? {}
      expect(auth).toMatchObject({ policies: ['default', 'reader'], token_type: 'service' })
      expect(await team.tokens.lookupToken({ token: client_token })).toMatchObject({
        namespace_path: 'team/',
        path: 'auth/pods/login',
        display_name: 'pods-prod-web',
      })
      expect(await lookSelf(kernel, client_token)).toBe(200)
      expect(await team.as(client_token).tokens.renewSelf({})).toMatchObject({ renewable: true })
      // The role and the token are unknown in other namespaces.
      expect(await world.login(view, jwtOf(), { role: 'in' })).toMatchObject({ status: 400 })
      await expect(kernel.as(client_token).kv.readSecret({ path: 'a' })).rejects.toMatchObject({ status: 403 })
      await expect(team.as(client_token).mounts.listAuthMethods({})).rejects.toMatchObject({ status: 403 })
      await view.ask(kernel, 'deleteRole', { name: 'in' }, how)
      await team.mounts.deleteAuthMethod({ path: 'pods' })
      expect(await lookSelf(kernel, client_token)).toBe(403)
      await team.mounts.createAuthMethod({ path: 'pods', type: 'kubernetes' })
    }
  })

  it('reports the namespace and mount of refused logins', async () => {
    await using world = await openWorld()
    const { kernel } = world
    await kernel.namespaces.createNamespace({ name: 'team' })
    await kernel.namespace('team').mounts.createAuthMethod({ path: 'pods', type: 'orchestrator' })
    await PATH.ask(kernel, 'configure', { orchestrator_host: HOST, pem_keys: KEYS }, how)
    await PATH.ask(kernel, 'writeRole', { name: 'web', ...BOUND }, how)
    const events: unknown[] = []
    kernel.events.on('login.refused', ({ namespace, mount, reason }) => events.push({ namespace, mount, reason }))
    for (const view of VIEWS) expect(await world.login(view, 'x', how)).toMatchObject(REFUSED)
    await world.refusals()
    expect(events).toEqual(VIEWS.map(() => ({ namespace: 'team/', mount: 'auth/pods/', reason: 'token-malformed' })))
  })
})

describe('a login that requests wrapping', () => {
  interface Wrapped {
    readonly auth: Auth | null
    readonly wrap_info: { readonly token: string; readonly ttl: number; readonly wrapped_accessor?: string } | null
  }
  const send = async (world: World, path: string, headers: Readonly<Record<string, string>>, body?: object) => {
    const response = await world.kernel.handle({ method: 'POST', path, headers, body })
    return { status: response.status, ...(response.body as Wrapped) }
  }

  it.each(['service', 'batch'])('returns its %s token only to the first unwrap', async (token_type) => {
    await using world = await openWorld({ role: { token_type } })
    const wrapped = await send(world, LOGIN, { 'X-Service-Wrap-TTL': '60' }, { role: 'web', jwt: jwtOf() })
    expect(wrapped).toMatchObject({ status: 200, auth: null, wrap_info: { ttl: 60 } })
    const opener = { 'X-Service-Token': wrapped.wrap_info?.token ?? '' }
    const opened = await send(world, '/v1/sys/wrapping/unwrap', opener)
    expect(opened.auth).toMatchObject({ token_type, policies: ['default'], metadata: { role: 'web' } })
    expect(wrapped.wrap_info?.wrapped_accessor ?? '').toBe(opened.auth?.accessor)
    expect(await lookSelf(world.kernel, opened.auth?.client_token ?? '')).toBe(200)
    expect((await send(world, '/v1/sys/wrapping/unwrap', opener)).status).toBe(400)
  })

  it('gets the plain refusal if it is refused', async () => {
    await using world = await openWorld()
    const refused = await send(world, LOGIN, { 'X-Service-Wrap-TTL': '60' }, { role: 'web', jwt: 'x' })
    expect(refused).toEqual({ status: 403, errors: ['permission denied'] })
  })
})

describe('a login request that contains a token', () => {
  it('creates an orphan token, and is refused from an address that the role does not allow', async () => {
    await using world = await openWorld({ role: { token_bound_cidrs: ['10.0.0.0/8'] } })
    const { kernel } = world
    await kernel.policies.writePolicy({ name: 'p', policy: 'path "auth/orchestrator/login" { capabilities = ["update"] }' })
    const { client_token: token } = await kernel.tokens.createToken({ policies: ['p'] })
    for (const view of VIEWS) {
      expect(await world.login(view, jwtOf(), { token, address: '192.0.2.1' })).toMatchObject(REFUSED)
      expect(await world.login(view, jwtOf(), { token })).toMatchObject(REFUSED)
      expect((await world.login(view, jwtOf(), { token, address: '10.1.2.3' })).auth).toMatchObject({ orphan: true })
    }
    const { auth } = await world.login(TYPED, jwtOf(), { token, address: '10.1.2.3' })
    await kernel.tokens.revokeToken({ token })
    expect(await kernel.tokens.lookupToken({ token: auth?.client_token ?? '' })).toMatchObject({ orphan: true })
  })

  it('ignores that token in a call by path, even if it is invalid or has limited uses', async () => {
    await using world = await openWorld()
    const { client_token } = await world.kernel.tokens.createToken({ policies: ['default'], num_uses: 1 })
    for (const token of ['', 's.nobody', 'b.AAAA', client_token, client_token])
      expect((await world.login(PATH, jwtOf(), { token })).status).toBe(200)
    expect(await world.kernel.tokens.lookupToken({ token: client_token })).toMatchObject({ num_uses: 1 })
  })
})
