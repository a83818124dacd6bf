/** Activation tokens: their content, their use, and that all invalid ones are refused with the same error. */
import { createPublicKey, verify } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { callOf, outcomeOf, pathOf } from './operations.ts'
import { type Answer, type Cluster, contentOf, START, tokenFor, World } from './world.ts'

let world: World
let primary: Cluster

const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())

const dataOf = (body: Answer['body']): unknown => body?.['data']

const headOf = (token: string): unknown => JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString())

beforeEach(async () => {
  world = new World()
  primary = await world.primary()
  await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 1 } })
  return () => world.close()
})

const kept = async ({ kernel }: Cluster): Promise<unknown> => (await kernel.kv.readSecret({ path: 'kept' })).data

describe('an activation token', () => {
  it('is returned like a wrapped answer by path and by a typed call', async () => {
    const { status, body } = await primary.send('POST', pathOf('createSecondaryToken'), { id: 'b', ttl: '10m' })
    expect(status).toBe(200)
    expect(body?.['data']).toBeNull()
    const typed = await primary.kernel.replication.createSecondaryToken({ id: 'c', ttl: 600 })
    expect(typed.token).toBeUndefined()
    for (const info of [body?.['wrap_info'], typed.wrap_info])
      expect(info).toEqual({
        token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        accessor: expect.stringMatching(/./),
        ttl: 600,
        creation_time: new Date(world.clock.now()).toISOString(),
        creation_path: 'sys/replication/performance/primary/secondary-token',
        wrapped_accessor: '',
      })
  })

  it('is valid for 30 minutes if no TTL is given', async () => {
    const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id: 'b' })
    expect(wrap_info?.ttl).toBe(1800)
    const { iat, exp } = claimsOf(wrap_info?.token as string)
    expect([iat, exp]).toEqual([START / 1000, START / 1000 + 1800])
  })

  it('is signed with ES512 and contains the address and key of the primary', async () => {
    const token = await tokenFor(primary, 'b')
    expect(headOf(token)).toMatchObject({ alg: 'ES512', typ: 'JWT' })
    const { addr, key, type, jti } = claimsOf(token)
    const { known_secondaries } = await primary.kernel.replication.readStatus()
    expect(known_secondaries).toEqual(['b'])
    // In an in-process network a kernel listens at its cluster id.
    const { body } = await primary.send('GET', 'sys/health')
    expect(addr).toBe(body?.['cluster_id'])
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(type).toBe('wrapping')
    expect(jti).toMatch(/./)
    const { pubkey } = await primary.kernel.wrapping.readPublicKey()
    const [head, claims, signature] = token.split('.') as [string, string, string]
    expect(
      verify(
        'sha512',
        Buffer.from(`${head}.${claims}`),
        { key: createPublicKey(pubkey), dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
    ).toBe(true)
  })

  it('contains the address with which replication was enabled on the primary', async () => {
    const named = await world.open()
    await named.kernel.replication.enablePrimary({ primary_cluster_addr: 'front.example:8201' })
    expect(claimsOf(await tokenFor(named, 'b'))['addr']).toBe('front.example:8201')
    expect((await named.kernel.replication.readStatus()).primary_cluster_addr).toBe('front.example:8201')
  })

  it('returns no secret if it is unwrapped like another wrapped answer', async () => {
    const token = await tokenFor(primary, 'b')
    const { status, body } = await primary.send('POST', 'sys/wrapping/unwrap', { token })
    expect(status).toBe(200)
    expect(body?.['data']).toEqual({ purpose: 'replication/performance', id: 'b' })
    const otherCluster = await world.open()
    expect((await outcomeOf(otherCluster.kernel.replication.enableSecondary({ token }))).status).toBe(400)
  })

  it('can enable only one secondary', async () => {
    const [firstCluster, two] = [await world.open(), await world.open()]
    const token = await tokenFor(primary, 'b')
    const { status, body } = await firstCluster.send('POST', pathOf('enableSecondary'), { token })
    expect(status).toBe(200)
    expect(body?.['warnings']).toHaveLength(1)
    await firstCluster.kernel.tick()
    expect(await kept(firstCluster)).toEqual({ a: 1 })
    expect((await outcomeOf(two.kernel.replication.enableSecondary({ token }))).status).toBe(400)
    expect((await two.kernel.replication.readStatus()).mode).toBe('disabled')
  })

  it('enables only one of two clusters that use it concurrently', async () => {
    const both = [await world.open(), await world.open()]
    const token = await tokenFor(primary, 'b')
    const ended = await Promise.all(both.map(({ kernel }) => outcomeOf(kernel.replication.enableSecondary({ token }))))
    expect(ended.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('stays valid after an attempt to use it failed because the primary was unreachable', async () => {
    const cluster = await world.open()
    await cluster.kernel.kv.writeSecret({ path: 'own', data: { a: 1 } })
    const token = await tokenFor(primary, 'b')
    const wrong = { token, primary_api_addr: 'nowhere' }
    const before = await contentOf(cluster)
    expect((await cluster.send('POST', pathOf('enableSecondary'), wrong)).status).toBe(502)
    expect(await contentOf(cluster)).toEqual(before)
    expect((await cluster.kernel.kv.readSecret({ path: 'own' })).data).toEqual({ a: 1 })
    await primary.kernel.seal.seal()
    expect((await cluster.send('POST', pathOf('enableSecondary'), { token })).status).toBe(502)
    expect(await contentOf(cluster)).toEqual(before)
    await primary.kernel.seal.unseal()
    expect((await cluster.send('POST', pathOf('enableSecondary'), { token })).status).toBe(200)
  })

  it('is sent to primary_api_addr, if given, instead of the address in the token', async () => {
    const front = await world.open()
    await front.kernel.replication.enablePrimary({ primary_cluster_addr: 'unreachable' })
    const { body } = await front.send('GET', 'sys/health')
    const cluster = await world.open()
    const token = await tokenFor(front, 'b')
    expect((await cluster.send('POST', pathOf('enableSecondary'), { token })).status).toBe(502)
    const members = { token, primary_api_addr: body?.['cluster_id'] }
    expect((await cluster.send('POST', pathOf('enableSecondary'), members)).status).toBe(200)
  })

  it.each(['policies', 'app'] as const)('can be created with the forwarding mode %s', async (forward) => {
    const cluster = await world.open()
    await cluster.kernel.replication.enableSecondary({ token: await tokenFor(primary, 'b', { forward }) })
    await cluster.kernel.tick()
    expect(await kept(cluster)).toEqual({ a: 1 })
  })
})

describe('an activation token for a public key', () => {
  it('is returned in the data of the answer, and can be used without unwrapping', async () => {
    const cluster = await world.open()
    const { body: made } = await cluster.send('POST', pathOf('generatePublicKey'))
    const { secondary_public_key } = dataOf(made) as { secondary_public_key: string }
    expect(Buffer.from(secondary_public_key, 'base64')).toHaveLength(32)
    const { status, body } = await primary.send('POST', pathOf('createSecondaryToken'), { id: 'b', secondary_public_key })
    expect(status).toBe(200)
    expect(body?.['wrap_info']).toBeNull()
    const data = dataOf(body) as { token: string }
    expect(Object.keys(data)).toEqual(['token'])
    const { token } = data
    expect((await cluster.send('POST', pathOf('enableSecondary'), { token })).status).toBe(200)
    await cluster.kernel.tick()
    expect(await kept(cluster)).toEqual({ a: 1 })
    expect((await primary.kernel.replication.readStatus()).known_secondaries).toEqual(['b'])
  })

  it('creates a secondary that continues after the token has expired', async () => {
    const cluster = await world.open()
    const { secondary_public_key } = await cluster.kernel.replication.generatePublicKey()
    const { token } = await primary.kernel.replication.createSecondaryToken({ id: 'b', secondary_public_key, ttl: 60 })
    await cluster.kernel.replication.enableSecondary({ token: token as string })
    await world.clock.advance(3_600_000)
    await primary.kernel.kv.writeSecret({ path: 'kept', data: { a: 2 } })
    await cluster.kernel.tick()
    expect(await kept(cluster)).toEqual({ a: 2 })
  })

  it('is accepted only by the cluster that generated the key pair, and only for its newest key pair', async () => {
    const [firstCluster, two] = [await world.open(), await world.open()]
    const { secondary_public_key } = await firstCluster.kernel.replication.generatePublicKey()
    const again = await firstCluster.kernel.replication.generatePublicKey()
    expect(again.secondary_public_key).not.toBe(secondary_public_key)
    const { token } = await primary.kernel.replication.createSecondaryToken({ id: 'b', secondary_public_key })
    await two.kernel.replication.generatePublicKey()
    for (const { kernel } of [firstCluster, two])
      expect((await outcomeOf(kernel.replication.enableSecondary({ token: token as string }))).status).toBe(400)
  })

  it('in a call of updatePrimary gives the secondary a new id', async () => {
    const secondary = await world.secondary(primary, 'b')
    const { secondary_public_key } = await secondary.kernel.replication.generatePublicKey()
    const { token } = await primary.kernel.replication.createSecondaryToken({ id: 'c', secondary_public_key })
    expect((await secondary.send('POST', pathOf('updatePrimary'), { token })).status).toBe(200)
    await secondary.kernel.tick()
    expect(await secondary.kernel.replication.readStatus()).toMatchObject({ secondary_id: 'c', state: 'stream-wals' })
  })
})

/** Creates an invalid token, which `asker` will use. */
const USELESS: Readonly<Record<string, (asker: Cluster) => Promise<string>>> = {
  'that is plain text': async () => 'token',
  'with three invalid parts': async () => 'a.b.c',
  'with a claim of another type': async () => `e30.${Buffer.from('{"addr":5,"key":[]}').toString('base64url')}.e30`,
  'for a public key without content': async () => 'strongroom-replication.',
  'for a public key with invalid content': async () => `strongroom-replication.${'A'.repeat(400)}`,
  'of enormous length': async () => 'a'.repeat(1_000_000),
  'that is a service token': async () => (await primary.kernel.tokens.createToken({ policies: ['default'] })).client_token,
  'that is a wrapping token': async () => {
    const { body } = await primary.send('GET', 'sys/health')
    const { token } = await primary.kernel.wrapping.wrap({ data: { a: 1 }, ttl: '1h' })
    const { key } = claimsOf(await tokenFor(primary, 'key'))
    return `e30.${Buffer.from(JSON.stringify({ addr: body?.['cluster_id'], key, jti: token })).toString('base64url')}.e30`
  },
  'with a changed signature': async () => {
    const token = await tokenFor(primary, 'b')
    return token.slice(0, -4) + (token.endsWith('AAAA') ? 'BBBB' : 'AAAA')
  },
  'with a changed expiration': async () => {
    const [head, , signature] = (await tokenFor(primary, 'b')).split('.')
    const claims = { ...claimsOf(await tokenFor(primary, 'c')), exp: 99_999_999_999 }
    return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')
  },
  'that was used': async () => {
    const token = await tokenFor(primary, 'b')
    await (await world.open()).kernel.replication.enableSecondary({ token })
    return token
  },
  'that was used by a secondary that was revoked': async () => {
    const token = await tokenFor(primary, 'b')
    await (await world.open()).kernel.replication.enableSecondary({ token })
    await primary.kernel.replication.revokeSecondary({ id: 'b' })
    return token
  },
  'that has expired': async () => {
    const token = await tokenFor(primary, 'b', { ttl: 60 })
    await world.clock.advance(61_000)
    return token
  },
  'that was revoked': async () => {
    const token = await tokenFor(primary, 'b')
    await primary.kernel.replication.revokeSecondary({ id: 'b' })
    return token
  },
  'that was revoked before its id was issued again': async () => {
    const token = await tokenFor(primary, 'b')
    await primary.kernel.replication.revokeSecondary({ id: 'b' })
    await tokenFor(primary, 'b')
    return token
  },
  'that was revoked by its accessor': async () => {
    const { wrap_info } = await primary.kernel.replication.createSecondaryToken({ id: 'b' })
    await primary.kernel.tokens.revokeAccessor({ accessor: wrap_info?.accessor as string })
    return wrap_info?.token as string
  },
  'for a key that was revoked': async ({ kernel }) => {
    const { secondary_public_key } = await kernel.replication.generatePublicKey()
    const { token } = await primary.kernel.replication.createSecondaryToken({ id: 'b', secondary_public_key })
    await primary.kernel.replication.revokeSecondary({ id: 'b' })
    return token as string
  },
  'for the key of another cluster': async () => {
    const { secondary_public_key } = await (await world.open()).kernel.replication.generatePublicKey()
    const { token } = await primary.kernel.replication.createSecondaryToken({ id: 'b', secondary_public_key })
    return token as string
  },
  'for a key that has expired': async ({ kernel }) => {
    const { secondary_public_key } = await kernel.replication.generatePublicKey()
    const { token } = await primary.kernel.replication.createSecondaryToken({ id: 'b', secondary_public_key, ttl: 60 })
    await world.clock.advance(61_000)
    return token as string
  },
  'of a set that was disabled and enabled again': async () => {
    const token = await tokenFor(primary, 'b')
    await primary.kernel.replication.disablePrimary()
    await primary.kernel.replication.enablePrimary()
    return token
  },
}

describe.each(Object.entries(USELESS))('a token %s', (what, make) => {
  it.each(['enableSecondary', 'updatePrimary'] as const)(
    'is refused by %s with the usual error, without a change',
    async (method) => {
      const secondary = method === 'enableSecondary' ? await world.open() : await world.secondary(primary, 'follower')
      await secondary.kernel.tick()
      const token = await make(secondary)
      // The new set has other keys, so the secondary cannot authenticate the primary.
      const status = what.startsWith('of a set') ? 502 : 400
      const before = [await contentOf(secondary), await contentOf(primary)]
      const refused = await secondary.send('POST', pathOf(method), { token })
      expect(refused.status).toBe(status)
      if (status === 400)
        expect(refused.body).toEqual({ errors: ['token: not a valid activation token, or already used or expired'] })
      expect((await outcomeOf(callOf(secondary.kernel, method)({ token }))).status).toBe(status)
      expect([await contentOf(secondary), await contentOf(primary)]).toEqual(before)
      expect((await secondary.kernel.replication.readStatus()).mode).toBe(method === 'enableSecondary' ? 'disabled' : 'secondary')
    },
  )
})

describe('with a policy that requires wrapping', () => {
  const ask = async (members: object) => {
    const { kernel } = primary
    const policy = 'path "*" { capabilities = ["update", "sudo"]\n min_wrapping_ttl = "10s" }'
    await kernel.policies.writePolicy({ name: 'forced', policy })
    const { client_token } = await kernel.tokens.createToken({ policies: ['forced'] })
    const headers = { 'X-Service-Token': client_token, 'X-Service-Wrap-TTL': '60s' }
    const path = `/v1/${pathOf('createSecondaryToken')}`
    return (await kernel.handle({ method: 'POST', path, headers, body: members })) as unknown as {
      readonly status: number
      readonly body: { readonly data: unknown; readonly wrap_info: { readonly token: string } }
    }
  }

  it('an activation token is not wrapped again', async () => {
    const { status, body } = await ask({ id: 'b' })
    expect([status, body.data]).toEqual([200, null])
    expect(headOf(body.wrap_info.token)).toMatchObject({ alg: 'ES512' })
  })

  it('an activation token for a public key is wrapped like other answers', async () => {
    const cluster = await world.open()
    const { status, body } = await ask({ id: 'b', ...(await cluster.kernel.replication.generatePublicKey()) })
    expect([status, body.data]).toEqual([200, null])
    const opened = await primary.kernel.wrapping.unwrap({ token: body.wrap_info.token })
    const { token } = (opened.answer as { data: { token: string } }).data
    await cluster.kernel.replication.enableSecondary({ token })
    await cluster.kernel.tick()
    expect(await kept(cluster)).toEqual({ a: 1 })
  })
})
