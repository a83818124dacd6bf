/** Token creation beyond the recorded OpenBao transcripts. */
import { describe, expect, it } from 'vitest'
import { createDevKernel, type Kernel, type Tokens } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { ask, lookSelf, MAKER, tokenFor } from './support.ts'

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: { status?: number; message: string }) => ({ status: error.status, message: error.message }),
  )
const refused = (status: number, words: string) => ({ status, message: expect.stringContaining(words) })

async function withMaker(kernel: Kernel, more = ''): Promise<string> {
  await kernel.policies.writePolicy({ name: 'maker', policy: `${MAKER}\n${more}` })
  return (await kernel.tokens.createToken({ policies: ['maker'], ttl: '1h' })).client_token
}

describe('a token created by the application', () => {
  it('is an orphan with the given policies and TTL', async () => {
    await using kernel = await createDevKernel()
    const made = await kernel.tokens.createToken({
      policies: ['default', 'later'],
      ttl: '1h',
      meta: { team: 'a' },
      display_name: 'x y',
    })
    expect(made).toMatchObject({
      policies: ['default', 'later'],
      orphan: true,
      lease_duration: 3600,
      metadata: { team: 'a' },
      warnings: ['Policy "later" does not exist'],
    })
    expect(Object.keys(made).filter((name) => name !== 'warnings')).toEqual([
      'client_token',
      'accessor',
      'policies',
      'token_policies',
      'metadata',
      'lease_duration',
      'renewable',
      'entity_id',
      'token_type',
      'orphan',
      'mfa_requirement',
      'num_uses',
    ])
    expect(await kernel.as(made.client_token).tokens.lookupSelf()).toMatchObject({
      id: made.client_token,
      display_name: 'token-x-y',
      path: 'auth/token/create',
      orphan: true,
    })
  })

  it('requires policies, from the call or from its role', async () => {
    await using kernel = await createDevKernel()
    expect(await refusal(kernel.tokens.createToken({} as never))).toEqual(refused(400, 'policies'))
    expect(await refusal(kernel.tokens.createOrphan({ ttl: '1h' } as never))).toEqual(refused(400, 'policies'))
    await kernel.tokens.writeRole({ role_name: 'plain' })
    expect(await refusal(kernel.tokens.createWithRole({ role_name: 'plain' }))).toEqual(refused(400, 'policies'))
    await kernel.tokens.writeRole({ role_name: 'full', allowed_policies: ['a'] })
    expect(await kernel.tokens.createWithRole({ role_name: 'full' })).toMatchObject({ policies: ['a', 'default'], orphan: true })
  })

  it('can be a root token in the root namespace only', async () => {
    await using kernel = await createDevKernel()
    const { client_token } = await kernel.tokens.createToken({ policies: ['root'] })
    expect(await kernel.as(client_token).tokens.lookupSelf()).toMatchObject({ ttl: 0, expire_time: null, renewable: false })
    await kernel.namespaces.createNamespace({ name: 'team' })
    expect(await refusal(kernel.namespace('team').tokens.createToken({ policies: ['root'] }))).toEqual(
      refused(400, 'root tokens'),
    )
  })

  it('is not affected if the application changes an argument or a result afterwards', async () => {
    await using kernel = await createDevKernel()
    const meta: Record<string, string> = { a: 'b' }
    const policies = ['default']
    const { client_token } = await kernel.tokens.createToken({ policies, meta })
    meta['a'] = 'c'
    policies.push('root')
    const info = await kernel.as(client_token).tokens.lookupSelf()
    expect(info).toMatchObject({ meta: { a: 'b' }, policies: ['default'] })
    ;(info.policies as string[]).push('root')
    expect((await kernel.as(client_token).tokens.lookupSelf()).policies).toEqual(['default'])
  })
})

describe('methods that need a calling token', () => {
  it.each(['lookupSelf', 'renewSelf', 'revokeSelf'] as const)('are refused to the application: %s', async (name) => {
    await using kernel = await createDevKernel()
    expect(await refusal((kernel.tokens as Tokens)[name]())).toEqual(refused(400, 'as(token)'))
  })
})

describe('the policies of a new token', () => {
  it('are those of the parent if the request contains none', async () => {
    await using kernel = await createDevKernel()
    const token = await withMaker(kernel)
    for (const policies of ['', [], undefined]) {
      const asRoot = await ask(kernel, 'POST', 'auth/token/create', { policies })
      expect(asRoot.body.auth.policies).toEqual(['root'])
      const { body } = await ask(kernel, 'POST', 'auth/token/create', { policies }, { token })
      const { body: own } = await ask(kernel, 'GET', 'auth/token/lookup-self', undefined, { token })
      expect(body.auth.policies).toEqual(own.data.policies)
    }
  })

  it('are only default if the request contains an empty name', async () => {
    await using kernel = await createDevKernel()
    for (const policies of [[''], [' ']]) {
      const { body } = await ask(kernel, 'POST', 'auth/token/create', { policies })
      expect(body.auth.policies).toEqual(['default'])
    }
  })

  it('must be policies of the caller if the role has no allowed policies', async () => {
    await using kernel = await createDevKernel()
    const token = await withMaker(kernel)
    await kernel.tokens.writeRole({ role_name: 'plain' })
    await kernel.tokens.writeRole({ role_name: 'banning', disallowed_policies: ['x'] })
    await kernel.tokens.writeRole({ role_name: 'giving', allowed_policies_glob: ['o*r'] })
    for (const role of ['plain', 'banning']) {
      const { status } = await ask(kernel, 'POST', `auth/token/create/${role}`, { policies: ['other'] }, { token })
      expect([role, status]).toEqual([role, 400])
    }
    const { body } = await ask(kernel, 'POST', 'auth/token/create/giving', { policies: ['other'] }, { token })
    expect(body.auth.policies).toEqual(['default', 'other'])
  })

  it('cannot include root, even if a role allows it, unless the caller is root', async () => {
    await using kernel = await createDevKernel()
    const token = await withMaker(kernel)
    await kernel.tokens.writeRole({ role_name: 'r', allowed_policies: ['root'] })
    await kernel.tokens.writeRole({ role_name: 'g', allowed_policies_glob: ['*'] })
    for (const [role, body] of [
      ['r', {}],
      ['r', { policies: ['root'] }],
      ['g', { policies: ['root'] }],
    ] as const) {
      expect((await ask(kernel, 'POST', `auth/token/create/${role}`, body, { token })).status).toBe(400)
    }
  })

  it('cannot include root in a child namespace', async () => {
    await using kernel = await createDevKernel()
    await kernel.namespaces.createNamespace({ name: 'team' })
    const how = { namespace: 'team' }
    await ask(kernel, 'POST', 'auth/token/roles/r', { allowed_policies: 'root' }, how)
    expect((await ask(kernel, 'POST', 'auth/token/create/r', {}, how)).status).toBe(400)
    const { body } = await ask(kernel, 'POST', 'auth/token/create', {}, how)
    expect(body.auth.policies).toEqual(['default'])
  })

  it('must have names that are short enough for the store', async () => {
    await using kernel = await createDevKernel()
    expect((await ask(kernel, 'POST', 'auth/token/create', { policies: ['x'.repeat(2000)] })).status).toBe(400)
    const token = await tokenFor(kernel, { policies: ['\u00e9'.repeat(512), 'default'] })
    expect(await lookSelf(kernel, token)).toBe(200)
  })

  it('can be 500 policies', async () => {
    const { memoryStorage } = await import('../../../../src/index.ts')
    await using kernel = await createDevKernel({ storage: memoryStorage({ maxOps: 128 }) })
    const policies = Array.from({ length: 500 }, (_, i) => `p${i}`)
    const token = await tokenFor(kernel, { policies })
    const { body } = await ask(kernel, 'GET', 'auth/token/lookup-self', undefined, { token })
    expect(body.data.policies.length).toBe(501)
  })
})

describe('size limits for tokens', () => {
  it.each(['service', 'batch'])('allow 32,000 but not 33,000 bytes of metadata in a %s token', async (type) => {
    await using kernel = await createDevKernel()
    const token = await tokenFor(kernel, { policies: ['default'], type, meta: { text: 'x'.repeat(32_000) } })
    expect(await lookSelf(kernel, token)).toBe(200)
    expect(
      (await ask(kernel, 'POST', 'auth/token/create', { policies: ['default'], type, meta: { t: 'x'.repeat(33_000) } })).status,
    ).toBe(400)
  })

  it('refuse a further child in a long chain of tokens before its records exceed the limits of a store', async () => {
    const { memoryStorage } = await import('../../../../src/index.ts')
    await using kernel = await createDevKernel({ storage: memoryStorage({ maxOps: 128 }) })
    const policies = Array.from({ length: 60 }, (_, i) => `p${i}`)
    await kernel.policies.writePolicy({ name: 'p0', policy: MAKER })
    const chain = [await tokenFor(kernel, { policies })]
    let last = { status: 200, body: undefined as unknown }
    while (chain.length < 300) {
      last = await ask(kernel, 'POST', 'auth/token/create', {}, { token: chain.at(-1) as string })
      if (last.status !== 200) break
      chain.push((last.body as { auth: { client_token: string } }).auth.client_token)
    }
    expect(last.status).toBe(400)
    expect(chain.length).toBeGreaterThan(50)
    expect(await lookSelf(kernel, chain.at(-1) as string)).toBe(200)
    await ask(kernel, 'POST', 'auth/token/revoke', { token: chain[0] })
    expect(await Promise.all(chain.map((token) => lookSelf(kernel, token)))).toEqual(chain.map(() => 403))
  })
})

describe('chosen token ids', () => {
  it('are refused if they are in use or have an invalid form', async () => {
    await using kernel = await createDevKernel()
    expect(await tokenFor(kernel, { id: 'my-own', policies: ['default'] })).toBe('my-own')
    expect(await lookSelf(kernel, 'my-own')).toBe(200)
    expect((await ask(kernel, 'POST', 'auth/token/create', { id: 'my-own', policies: ['default'] })).status).toBe(400)
    for (const id of ['a b', 'a.b', 'a\nb', '\u00e9', 'x'.repeat(300)])
      expect([id, (await ask(kernel, 'POST', 'auth/token/create', { id, policies: ['default'] })).status]).toEqual([id, 400])
  })

  it('are given to exactly one of several concurrent calls', async () => {
    await using kernel = await createDevKernel()
    const all = await Promise.all(
      Array.from({ length: 20 }, () => ask(kernel, 'POST', 'auth/token/create', { id: 'same', policies: ['default'] })),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)])
  })

  it('are refused for batch tokens', async () => {
    await using kernel = await createDevKernel()
    expect((await ask(kernel, 'POST', 'auth/token/create', { id: 'x', type: 'batch', policies: ['default'] })).status).toBe(400)
  })
})

describe('the lifetime of a token', () => {
  it('is limited by the explicit maximum with which it was created, even if its role changes later', async () => {
    const clock = fakeClock()
    await using kernel = await createDevKernel({ clock })
    await kernel.tokens.writeRole({ role_name: 'r', allowed_policies: ['default'], token_explicit_max_ttl: '10h' })
    const { client_token: token } = await kernel.tokens.createWithRole({ role_name: 'r', ttl: '1h', explicit_max_ttl: '2h' })
    await clock.advance(3_500_000)
    await kernel.tokens.writeRole({ role_name: 'r', token_explicit_max_ttl: 0 })
    const { lease_duration } = await kernel.as(token).tokens.renewSelf({ increment: '5h' })
    expect(lease_duration).toBe(7200 - 3500)
    await clock.advance(3_700_000)
    expect(await lookSelf(kernel, token)).toBe(403)
  })

  it('is renewed by the current period of its role, but not after the role was deleted', async () => {
    await using kernel = await createDevKernel()
    await kernel.tokens.writeRole({ role_name: 'r', allowed_policies: ['default'], token_period: '10m' })
    const { client_token } = await kernel.tokens.createWithRole({ role_name: 'r' })
    await kernel.tokens.writeRole({ role_name: 'r', token_period: '5m' })
    expect((await kernel.as(client_token).tokens.renewSelf()).lease_duration).toBe(300)
    await kernel.tokens.deleteRole({ role_name: 'r' })
    expect(await refusal(kernel.as(client_token).tokens.renewSelf())).toEqual(refused(400, 'role'))
    expect(await lookSelf(kernel, client_token)).toBe(200)
  })

  it('is at most the maximum TTL of the mount', async () => {
    await using kernel = await createDevKernel()
    for (const more of [{}, { policies: ['root'] }, { period: 9_223_372_036 }]) {
      const body = { policies: ['default'], explicit_max_ttl: 9_223_372_036, ...more }
      const { auth } = (await ask(kernel, 'POST', 'auth/token/create', body)).body
      expect(auth.lease_duration).toBe(2_764_800)
    }
  })

  it.each([
    ['orphan', { no_parent: true }],
    ['child', {}],
  ])('ends with a concurrent revocation, after which the token creates no %s', async (_what, body) => {
    await using kernel = await createDevKernel()
    await kernel.policies.writePolicy({ name: 'maker', policy: 'path "auth/token/create" { capabilities = ["update", "sudo"] }' })
    const { client_token: token } = await kernel.tokens.createToken({ policies: ['maker'] })
    const [revoked, ...made] = await Promise.all([
      kernel.tokens.revokeToken({ token }),
      ...Array.from({ length: 8 }, () => ask(kernel, 'POST', 'auth/token/create', body, { token })),
    ])
    expect(revoked).toEqual({})
    expect((await ask(kernel, 'POST', 'auth/token/create', body, { token })).status).toBe(403)
    for (const { status, body: answer } of made.filter(({ status }) => status === 200)) {
      // This creation preceded the revocation: a child was revoked with its parent, and an orphan stays valid.
      expect([status, await lookSelf(kernel, answer.auth.client_token)]).toEqual([200, 'no_parent' in body ? 200 : 403])
    }
  })
})

describe('a batch token', () => {
  it('ends with its parent, even if the parent is revoked without its children', async () => {
    await using kernel = await createDevKernel()
    for (const way of ['revokeToken', 'revokeOrphan'] as const) {
      const parent = await withMaker(kernel)
      const batch = await tokenFor(kernel, { type: 'batch' }, { token: parent })
      const service = await tokenFor(kernel, {}, { token: parent })
      const inner = await tokenFor(kernel, { type: 'batch' }, { token: service })
      expect(await lookSelf(kernel, batch)).toBe(200)
      await kernel.tokens[way]({ token: parent })
      const seen = async () => [await lookSelf(kernel, batch), await lookSelf(kernel, service), await lookSelf(kernel, inner)]
      const expected = way === 'revokeToken' ? [403, 403, 403] : [403, 200, 200]
      expect(await seen()).toEqual(expected)
      await kernel.tick()
      expect(await seen()).toEqual(expected)
    }
  })

  it('is not created from a role that sets a use count', async () => {
    await using kernel = await createDevKernel()
    await kernel.tokens.writeRole({
      role_name: 'd',
      allowed_policies: ['default'],
      token_type: 'default-batch',
      token_num_uses: 3,
    })
    expect(await refusal(kernel.tokens.createWithRole({ role_name: 'd' }))).toEqual(refused(400, 'num_uses'))
    expect(await kernel.tokens.createWithRole({ role_name: 'd', type: 'service' })).toMatchObject({
      token_type: 'service',
      num_uses: 3,
    })
  })
})
