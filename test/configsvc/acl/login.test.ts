// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDevKernel, memoryStorage } from '../../../src/index.ts'
import { fakeClock, fakeTokenReviewer } from '../../../src/testing/index.ts'
import { interceptedStorage } from '../../../src/testing/intercepted-storage.ts'
import { certificatePem, RSA, token } from '../../unit/core/jwt/tokens.ts'
import { CONFIG, LoginWorld, MANAGEMENT, mapped } from './login-world.ts'

interface Made {
  readonly AccessorID: string
  readonly SecretID: string
}

const wrongKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const DENIED = { status: 403, body: 'Permission denied' }

async function opened(options: Parameters<typeof LoginWorld.open>[0] = {}): Promise<LoginWorld> {
  const world = await LoginWorld.open(options)
  await world.method('m', { ClaimMappings: mapped(['team']) })
  const rule = { AuthMethod: 'm', BindType: 'service', BindName: 'web', Selector: 'value.team == web' }
  await world.service.bindingRules.create(rule)
  return world
}

describe('a login', () => {
  it('creates a token for the service named by the matching rule, and returns its secret', async () => {
    await using world = await opened()
    const { status, body } = await world.logIn('M', { team: 'web' }, { Meta: { zone: 'b', app: 'a"' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      Description: 'token created via login: {"app":"a\\"","zone":"b"}',
      AuthMethod: 'm',
      Local: true,
      ServiceIdentities: [{ ServiceName: 'web' }],
    })
    expect(body).not.toHaveProperty('ExpirationTime')
    const { SecretID, AccessorID } = body as Made
    expect(await world.ask('GET', 'token/self', undefined, SecretID)).toMatchObject({ status: 200, body: { AccessorID } })
    expect(await world.ask('GET', `token/${AccessorID}`)).toMatchObject({ body: { SecretID: '<hidden>' } })
  })

  it('can be called as a typed method', async () => {
    await using world = await opened()
    const made = await world.service.login({ AuthMethod: 'm', BearerToken: world.bearer({ team: 'web' }) })
    expect(await world.service.as(made.SecretID).logout()).toBe(true)
    await expect(world.service.as(made.SecretID).logout()).rejects.toMatchObject({ status: 403, message: 'ACL not found' })
  })

  it('ignores the token of the request', async () => {
    await using world = await opened()
    const body = { AuthMethod: 'm', BearerToken: world.bearer({ team: 'web' }) }
    for (const secret of [MANAGEMENT, 'ac7560be-7f11-4d6d-bfcf-15633c2090fd', 'nonsense'])
      expect(await world.ask('POST', 'login', body, secret)).toMatchObject({ status: 200 })
  })

  it('creates a token with the lifetime and locality that its auth method specifies', async () => {
    await using world = await opened()
    await world.service.authMethods.update({
      Name: 'm',
      Config: { ...CONFIG, ClaimMappings: mapped(['team']) },
      MaxTokenTTL: '1m30s',
      TokenLocality: 'global',
    })
    const { body } = await world.logIn('m', { team: 'web' })
    expect(body).toMatchObject({ Local: false, ExpirationTime: new Date(world.clock.now() + 90_000).toISOString() })
    const { SecretID } = body as Made
    const self = () => world.ask('GET', 'token/self', undefined, SecretID)
    expect(await self()).toMatchObject({ status: 200 })
    await world.clock.advance(90_000)
    expect(await self()).toMatchObject({ status: 403 })
  })

  it('creates a token in the namespace of the auth method', async () => {
    await using world = await opened()
    expect(await world.logIn('m', { team: 'web' }, { Namespace: 'team' })).toEqual(DENIED)
    await world.method('m', { ClaimMappings: mapped(['team']) }, { Namespace: 'team' })
    await world.service.bindingRules.create({ AuthMethod: 'm', Namespace: 'team', BindType: 'service', BindName: 'theirs' })
    const there = await world.logIn('m', { team: 'db' }, { Namespace: 'team' })
    expect(there).toMatchObject({ status: 200, body: { Namespace: 'team', ServiceIdentities: [{ ServiceName: 'theirs' }] } })
    expect(await world.logIn('m', { team: 'db' })).toEqual(DENIED)
  })

  it.each([
    ['a missing method', { AuthMethod: '' }],
    ['a missing token', { BearerToken: '' }],
    ['a Meta that is not an object', { Meta: ['a'] }],
    ['a Meta with a number', { Meta: { a: 1 } }],
    ['a Meta with too many pairs', { Meta: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`m${i}`, ''])) }],
    ['a Meta with a value that is too long', { Meta: { a: 'x'.repeat(513) } }],
    ['an unknown member', { Colour: 'red' }],
    ['a token that is not a string', { BearerToken: { a: 1 } }],
  ])('is refused with 400 if the body contains %s', async (_, member) => {
    await using world = await opened()
    expect(await world.logIn('m', { team: 'web' }, member)).toMatchObject({ status: 400 })
  })

  it('succeeds even if ACLs are disabled', async () => {
    await using world = await opened({ acl: { enabled: false } })
    const { status, body } = await world.logIn('m', { team: 'web' })
    expect(status).toBe(200)
    expect(await world.ask('POST', 'logout', undefined, (body as Made).SecretID)).toEqual({ status: 200, body: true })
  })

  it('uses the binding rules and roles that exist when the token is created', async () => {
    await using world = await opened()
    const { bindingRules, roles, authMethods } = world.service
    await bindingRules.create({ AuthMethod: 'm', BindType: 'role', BindName: 'late' })
    expect(await world.logIn('m', { team: 'db' })).toEqual(DENIED)
    const role = await roles.create({ Name: 'late' })
    expect(await world.logIn('m', { team: 'db' })).toMatchObject({
      status: 200,
      body: { Roles: [{ ID: role.ID, Name: 'late' }] },
    })
    await roles.delete({ ID: role.ID })
    expect(await world.logIn('m', { team: 'db' })).toEqual(DENIED)
    await authMethods.delete({ Name: 'm' })
    expect(await world.logIn('m', { team: 'web' })).toEqual(DENIED)
  })
})

describe('refused logins', () => {
  it('get identical responses, and the event login.refused contains the reason', async () => {
    const clock = fakeClock()
    await using kernel = await createDevKernel({ clock, configsvc: { acl: { bootstrapToken: MANAGEMENT } } })
    const events: unknown[] = []
    kernel.events.on('login.refused', ({ role, reason, mount }) => events.push([mount, role, reason]))
    const { authMethods, bindingRules } = kernel.configsvc
    await authMethods.create({ Name: 'm', Type: 'jwt', Config: { ...CONFIG, ClaimMappings: mapped(['name']) } })
    await bindingRules.create({
      AuthMethod: 'm',
      BindType: 'service',
      BindName: '${value.name}',
      Selector: 'value.name matches "."',
    })
    const iat = Math.floor(clock.now() / 1000)
    const other = token('ES256', { iat, name: 'web' }, { alg: 'ES256' }, wrongKey())
    const attempts: readonly (readonly [string, string, string])[] = [
      ['nowhere', token('ES256', { iat, name: 'web' }), 'method-unknown'],
      ['m', 'nonsense', 'token-malformed'],
      ['m', token('ES384', { iat, name: 'web' }), 'algorithm-not-allowed'],
      ['m', other, 'signature-invalid'],
      ['m', token('ES256', { iat: iat - 9999, name: 'web' }), 'expired'],
      ['m', token('ES256', { iat, name: '-' }), 'name-not-valid'],
      ['m', token('ES256', { iat }), 'nothing-bound'],
    ]
    for (const [AuthMethod, BearerToken] of attempts) {
      const request = { method: 'POST', path: '/v1/acl/login', body: { AuthMethod, BearerToken } }
      const { status, body, headers } = await kernel.configsvc.handle(request)
      expect({ status, body, headers }).toEqual({ ...DENIED, headers: { 'Content-Type': 'text/plain' } })
      await expect(kernel.configsvc.login({ AuthMethod, BearerToken })).rejects.toMatchObject({ message: 'Permission denied' })
    }
    const once = attempts.map(([name, , reason]) => ['configsvc/', name, reason])
    expect(events).toEqual(once.flatMap((event) => [event, event]))
  })

  it('get 429 after too many failures, and logins succeed again after some time', async () => {
    await using world = await opened()
    const BearerToken = token('ES256', { iat: world.now, team: 'web' }, { alg: 'ES256' }, wrongKey())
    const statuses: number[] = []
    for (let i = 0; i < 600 && statuses.at(-1) !== 429; i++)
      statuses.push((await world.ask('POST', 'login', { AuthMethod: 'm', BearerToken }, null)).status)
    expect(statuses.at(-1)).toBe(429)
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([403]))
    await world.clock.advance(10_000)
    expect(await world.logIn('m', { team: 'web' })).toMatchObject({ status: 200 })
  })
})

describe('a login of a Kubernetes service account', () => {
  const KUBERNETES = { Host: 'https://abc:8443', CACert: certificatePem(RSA), ServiceAccountJWT: token('RS256') }
  const BearerToken = token('RS256', { 'kubernetes.io': { namespace: 'prod', serviceaccount: { name: 'Web', uid: 'u-1' } } })

  async function reviewed(Type: string) {
    const reviewer = fakeTokenReviewer()
    const world = await LoginWorld.open({ ports: { tokenReviewer: reviewer } })
    await world.service.authMethods.create({ Name: 'k', Type, Config: KUBERNETES })
    const rule = { BindType: 'service', BindName: '${serviceaccount.namespace}-${serviceaccount.name}' }
    await world.service.bindingRules.create({ AuthMethod: 'k', Selector: 'serviceaccount.namespace == prod', ...rule })
    const logIn = () => world.ask('POST', 'login', { AuthMethod: 'k', BearerToken }, null)
    return { world, reviewer, logIn }
  }

  it.each(['kubernetes', 'orchestrator'])('succeeds with an auth method of type %s', async (type) => {
    const { world, reviewer, logIn } = await reviewed(type)
    await using _ = world
    expect(await logIn()).toMatchObject({ status: 200, body: { ServiceIdentities: [{ ServiceName: 'prod-web' }] } })
    expect(reviewer.requests).toHaveLength(1)
    reviewer.answer({ authenticated: false })
    expect(await logIn()).toEqual(DENIED)
  })

  it('uses the auth method and rules as they are after the token review, and reviews again only if the method changed', async () => {
    const { world, reviewer, logIn } = await reviewed('kubernetes')
    await using _ = world
    const { bindingRules, authMethods } = world.service
    const [rule] = await bindingRules.list()
    const changes = [
      () => authMethods.update({ Name: 'k', Config: KUBERNETES, MaxTokenTTL: '2m' }),
      async () => {
        await bindingRules.create({ AuthMethod: 'k', BindType: 'service', BindName: 'more' })
        await bindingRules.update({ ID: rule?.ID as string, BindName: 'other' })
      },
    ]
    const review = reviewer.review.bind(reviewer)
    reviewer.review = async (...parameters) => {
      await changes.shift()?.()
      return review(...parameters)
    }
    const { body } = await logIn()
    expect(body).toMatchObject({ ServiceIdentities: expect.arrayContaining([{ ServiceName: 'other' }, { ServiceName: 'more' }]) })
    expect(body).toHaveProperty('ExpirationTime')
    expect(reviewer.requests).toHaveLength(2)
  })

  it('is refused if its auth method was deleted during the review, even if a new method has the same name', async () => {
    const { world, reviewer, logIn } = await reviewed('kubernetes')
    await using _ = world
    const review = reviewer.review.bind(reviewer)
    reviewer.review = async (...parameters) => {
      reviewer.review = review
      await world.service.authMethods.delete({ Name: 'k' })
      await world.service.authMethods.create({ Name: 'k', Type: 'kubernetes', Config: KUBERNETES })
      return review(...parameters)
    }
    expect(await logIn()).toEqual(DENIED)
  })
})

describe('a change of the binding rules between the verification of a login and the creation of its token', () => {
  /** A service whose logins meet changes by another process right before their commit: one change for each element of the list. */
  async function racing(changes: readonly ((otherWorld: LoginWorld) => Promise<unknown>)[]) {
    const storage = memoryStorage()
    const otherWorld = await opened({ storage })
    const left = [...changes]
    const raced = interceptedStorage(storage, {
      async around(_, work, ops = []) {
        if (ops.some((op) => 'key' in op && op.key.includes('/token-of-method/'))) await left.shift()?.(otherWorld)
        return work()
      },
      close: async () => {},
    })
    const world = await LoginWorld.open({ storage: raced })
    return { world, other: otherWorld }
  }

  const changeRule = async ({ service }: LoginWorld) => {
    const [rule] = await service.bindingRules.list()
    return service.bindingRules.update({ ID: rule?.ID as string, BindName: `${rule?.BindName}-x` })
  }

  it('is applied to the created token', async () => {
    const { world, other } = await racing([changeRule, changeRule])
    await using _ = world
    await using __ = other
    expect(await world.logIn('m', { team: 'web' })).toMatchObject({
      status: 200,
      body: { ServiceIdentities: [{ ServiceName: 'web-x-x' }] },
    })
  })

  it('makes the login fail if the only matching rule was deleted', async () => {
    const { world, other } = await racing([
      async ({ service }) => service.bindingRules.delete({ ID: (await service.bindingRules.list())[0]?.ID as string }),
    ])
    await using _ = world
    await using __ = other
    expect(await world.logIn('m', { team: 'web' })).toEqual(DENIED)
  })

  it('makes the login fail with 503 if such changes do not stop', async () => {
    const { world, other } = await racing(Array.from({ length: 20 }, () => changeRule))
    await using _ = world
    await using __ = other
    expect(await world.logIn('m', { team: 'web' })).toMatchObject({ status: 503 })
  })
})

describe('a logout', () => {
  it('deletes only the token with which it is called', async () => {
    await using world = await opened()
    const { SecretID, AccessorID } = (await world.logIn('m', { team: 'web' })).body as Made
    expect(await world.ask('POST', 'logout', undefined, SecretID)).toEqual({ status: 200, body: true })
    expect(await world.ask('GET', `token/${AccessorID}`)).toMatchObject({
      status: expect.toSatisfy((s) => s === 403 || s === 404),
    })
    expect(await world.ask('POST', 'logout', undefined, SecretID)).toEqual({ status: 403, body: 'ACL not found' })
    expect(await world.ask('POST', 'logout', undefined, MANAGEMENT)).toMatchObject({ status: 403 })
    expect(await world.ask('GET', 'token/self')).toMatchObject({ status: 200 })
  })

  it('without a token is refused with 401', async () => {
    await using world = await opened()
    expect(await world.ask('POST', 'logout', undefined, null)).toMatchObject({ status: 401 })
    await expect(world.service.logout()).rejects.toMatchObject({ code: 'ERR_UNAUTHENTICATED' })
    expect(await world.ask('PUT', 'logout')).toMatchObject({ status: 405 })
    expect(await world.ask('PUT', 'login')).toMatchObject({ status: 405 })
  })
})

it('a service accepts login tokens of another process on the same store until they are deleted', async () => {
  const storage = memoryStorage()
  await using firstWorld = await opened({ storage })
  await using two = await LoginWorld.open({ storage })
  const { SecretID } = (await two.logIn('m', { team: 'web' })).body as Made
  const selves = async () => {
    const answers = await Promise.all([firstWorld, two].map((world) => world.ask('GET', 'token/self', undefined, SecretID)))
    return answers.map(({ status }) => status)
  }
  expect(await selves()).toEqual([200, 200])
  expect(await firstWorld.ask('DELETE', 'auth-method/m')).toEqual({ status: 200, body: true })
  expect(await selves()).toEqual([403, 403])
  expect(await two.logIn('m', { team: 'web' })).toEqual(DENIED)
})
