/** A renewal uses the current role and never checks the token of the login again. */
import { describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import type { FakeClock } from '../../../src/testing/index.ts'
import { certificatePem, P256 } from '../../unit/core/jwt/tokens.ts'
import { type Input, PATH } from './views.ts'
import { BOUND, HOST, jwtOf, openWorld, type World } from './world.ts'

const CA = certificatePem(P256)

interface Answer {
  readonly status: number
  readonly ttl: number | undefined
  readonly warned: boolean
  readonly errors: readonly string[]
}

/** A login token and the ways to renew it. */
class Token {
  readonly kernel: Kernel
  readonly clock: FakeClock
  readonly text: string
  readonly accessor: string

  constructor(world: World, text: string, accessor: string) {
    this.kernel = world.kernel
    this.clock = world.clock
    this.text = text
    this.accessor = accessor
  }

  static async of(world: World, role = 'web'): Promise<Token> {
    const { auth } = await world.login(PATH, jwtOf(), { role })
    return new Token(world, auth?.client_token ?? '', auth?.accessor ?? '')
  }

  /** Renews the token by itself, unless another path and token are given. */
  async renew(body: Input = {}, path = 'renew-self', token = this.text): Promise<Answer> {
    const headers = { 'X-Service-Token': token }
    const { status, body: answer } = await this.kernel.handle({ method: 'POST', path: `/v1/auth/token/${path}`, headers, body })
    const { auth, warnings, errors } = answer as {
      readonly auth?: { readonly lease_duration: number }
      readonly warnings?: readonly string[] | null
      readonly errors?: readonly string[]
    }
    return { status, ttl: auth?.lease_duration, warned: (warnings ?? []).length > 0, errors: errors ?? [] }
  }

  /** The remaining seconds, or undefined if the token is invalid. */
  async left(): Promise<number | undefined> {
    const headers = { 'X-Service-Token': this.text }
    const { status, body } = await this.kernel.handle({ method: 'GET', path: '/v1/auth/token/lookup-self', headers })
    return status === 200 ? (body as { readonly data: { readonly ttl: number } }).data.ttl : undefined
  }

  change(role: Input): Promise<unknown> {
    return this.kernel.orchestrator.writeRole({ name: 'web', ...role })
  }

  pass(seconds: number): Promise<void> {
    return this.clock.advance(seconds * 1000)
  }
}

describe('renewing a login token', () => {
  it('succeeds with the token itself, with another token and by accessor', async () => {
    await using world = await openWorld({ role: { token_ttl: 600 } })
    const token = await Token.of(world)
    const root = world.kernel.rootToken ?? ''
    await token.pass(100)
    expect(await token.renew()).toMatchObject({ status: 200, ttl: 600 })
    expect(await token.renew({ token: token.text }, 'renew', root)).toMatchObject({ status: 200, ttl: 600 })
    expect(await token.renew({ accessor: token.accessor }, 'renew-accessor', root)).toMatchObject({ status: 200, ttl: 600 })
    expect(await world.kernel.as(token.text).tokens.renewSelf({})).toMatchObject({ lease_duration: 600 })
    expect(await token.left()).toBe(600)
  })

  it('uses the TTL and maximum TTL that the role has now', async () => {
    await using world = await openWorld({ role: { token_ttl: 600, token_max_ttl: 1800 } })
    const token = await Token.of(world)
    await token.pass(500)
    await token.change({ token_ttl: 300, token_max_ttl: 7200 })
    expect(await token.renew()).toMatchObject({ ttl: 300, warned: false })
    expect(await token.renew({ increment: 6000 })).toMatchObject({ ttl: 6000, warned: false })
    expect(await token.renew({ increment: '10h' })).toMatchObject({ ttl: 6700, warned: true })
    await token.change({ token_max_ttl: 700 })
    expect(await token.renew({ increment: '10h' })).toMatchObject({ ttl: 200, warned: true })
    await token.change({ token_ttl: 0, token_max_ttl: 0 })
    expect(await token.renew()).toMatchObject({ ttl: 2_764_800 - 500 })
    await world.kernel.mounts.tuneAuthMethod({ path: 'orchestrator', default_lease_ttl: '1m', max_lease_ttl: '20m' })
    expect(await token.renew()).toMatchObject({ ttl: 60 })
    expect(await token.renew({ increment: '1h' })).toMatchObject({ ttl: 700, warned: true })
  })

  it('is refused beyond the maximum TTL, and the token remains valid until it expires', async () => {
    await using world = await openWorld({ role: { token_ttl: 600, token_max_ttl: 900 } })
    const token = await Token.of(world)
    await token.pass(500)
    expect(await token.renew()).toMatchObject({ ttl: 400, warned: true })
    await token.change({ token_ttl: 100, token_max_ttl: 400 })
    expect(await token.renew()).toMatchObject({ status: 400, errors: [expect.stringContaining('past the max TTL')] })
    expect(await token.left()).toBe(400)
    await token.pass(399)
    expect(await token.left()).toBe(1)
    await token.pass(1)
    expect(await token.left()).toBeUndefined()
  })

  it('uses the period that the role has now', async () => {
    await using world = await openWorld({ role: { token_ttl: 600, token_max_ttl: 1800 } })
    const token = await Token.of(world)
    await token.pass(500)
    await token.change({ token_period: 1500 })
    expect(await token.renew()).toMatchObject({ ttl: 1500 })
    await token.pass(1400)
    // A periodic token may outlive the former maximum.
    await token.change({ token_period: 800 })
    expect(await token.renew({ increment: '1h' })).toMatchObject({ ttl: 800 })
    await token.change({ token_period: 0 })
    expect(await token.renew()).toMatchObject({ status: 400 })
    expect(await token.left()).toBe(800)
  })

  it('never exceeds the explicit maximum TTL that the role had at login', async () => {
    await using world = await openWorld({ role: { token_ttl: 600, token_explicit_max_ttl: 900 } })
    const token = await Token.of(world)
    await token.change({ token_explicit_max_ttl: 0, token_period: 600 })
    await token.pass(500)
    expect(await token.renew()).toMatchObject({ ttl: 400 })
    await token.pass(400)
    expect(await token.left()).toBeUndefined()
    const free = await Token.of(world)
    await token.change({ token_explicit_max_ttl: 100 })
    expect(await free.renew()).toMatchObject({ ttl: 600 })
  })

  it('ignores all other changes of the role and the configuration', async () => {
    await using world = await openWorld({ role: { token_ttl: 600, token_policies: ['a'] } })
    const token = await Token.of(world)
    await token.change({
      bound_service_account_names: ['nobody'],
      bound_service_account_namespaces: ['nowhere'],
      audience: 'elsewhere',
      alias_name_source: 'serviceaccount_name',
      token_policies: ['b'],
      token_num_uses: 1,
      token_bound_cidrs: ['192.0.2.7'],
    })
    await world.kernel.orchestrator.configure({
      orchestrator_host: HOST,
      orchestrator_ca_cert: CA,
      disable_iss_validation: false,
    })
    expect(await token.renew()).toMatchObject({ status: 200, ttl: 600 })
    const { policies, num_uses, bound_cidrs } = await world.kernel.tokens.lookupToken({ token: token.text })
    expect({ policies, num_uses, bound_cidrs }).toEqual({ policies: ['a', 'default'], num_uses: 0, bound_cidrs: undefined })
  })

  it('is refused while the role is missing, and accepted once the role exists again', async () => {
    await using world = await openWorld({ role: { token_ttl: 600 } })
    const { orchestrator, rootToken = '' } = world.kernel
    const token = await Token.of(world, 'WEB')
    await orchestrator.deleteRole({ name: 'web' })
    await token.pass(100)
    expect(await token.renew()).toMatchObject({ status: 400, errors: [expect.stringContaining('web')] })
    expect(await token.renew({ token: token.text }, 'renew', rootToken)).toMatchObject({ status: 400 })
    expect(await token.renew({ accessor: token.accessor }, 'renew-accessor', rootToken)).toMatchObject({ status: 400 })
    expect(await token.left()).toBe(500)
    await orchestrator.writeRole({ name: 'Web', ...BOUND, token_ttl: 900 })
    expect(await token.renew()).toMatchObject({ status: 200, ttl: 900 })
  })

  it('is refused for a batch token, and uses up one use of a limited-use token', async () => {
    await using world = await openWorld({ role: { token_type: 'batch', token_ttl: 600 } })
    const batch = await Token.of(world)
    expect(await batch.renew()).toMatchObject({ status: 400, errors: [expect.stringContaining('batch')] })
    await batch.change({ token_type: 'service', token_num_uses: 3 })
    const used = await Token.of(world)
    expect(await used.renew()).toMatchObject({ status: 200, ttl: 600 })
    expect(await world.kernel.tokens.lookupToken({ token: used.text })).toMatchObject({ num_uses: 2 })
  })
})
