/**
 * Unauthenticated callers must not cause signature checks with texts that look like signed wrapping tokens. The holder of a valid one can
 * cause only a few per second. The tests count checks, not time.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../../src/adapters/crypto-node/index.ts'
import { WRONG_SIGNATURES_PER_SECOND } from '../../../../src/core/access/wrapping/wrapping-jwt.ts'
import { createDevKernel, type Kernel } from '../../../../src/index.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { ENGINES } from '../../../fixtures/all-engines.ts'
import { countingCrypto } from '../../../fixtures/counting-crypto.ts'

type Body = Readonly<Record<string, unknown>>

const { crypto, counts } = countingCrypto(nodeCrypto())
const clock = fakeClock(1_800_000_000_000)
let kernel: Kernel
let root: string

beforeAll(async () => {
  kernel = await createDevKernel({ crypto, clock })
  root = kernel.rootToken as string
  await kernel.kv.writeSecret({ path: 'a', data: { v: 1 } })
})
afterAll(() => kernel.close())
beforeEach(async () => {
  await clock.advance(10_000)
  counts.verified = 0
})

const ask = (method: string, path: string, token: string | undefined, body?: Body, on: Kernel = kernel) =>
  on.handle({
    method,
    path: `/v1/${path}`,
    ...(token === undefined ? {} : { headers: { 'X-Service-Token': token } }),
    ...(body ? { body } : {}),
  })

async function signed(on: Kernel = kernel, ttl = '600'): Promise<string> {
  const headers = { 'X-Service-Token': on.rootToken as string, 'X-Service-Wrap-TTL': ttl, 'X-Service-Wrap-Format': 'jwt' }
  const { body } = await on.handle({ method: 'GET', path: '/v1/sys/policies/acl/default', headers })
  return (body as { readonly wrap_info: { readonly token: string } }).wrap_info.token
}

const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** Replaces parts of a JWT. */
function changed(jwt: string, { header, claims, signature }: { header?: unknown; claims?: unknown; signature?: string }): string {
  const [h, c, s] = jwt.split('.')
  return [header === undefined ? h : encode(header), claims === undefined ? c : encode(claims), signature ?? s].join('.')
}

const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] as string, 'base64url').toString()) as { jti: string; exp: number; iat: number }

/** Changes one character of the signature that is certain to carry bits. */
const forged = (jwt: string, at = 5): string =>
  jwt.slice(0, -at) + (jwt.at(-at) === 'A' ? 'B' : 'A') + jwt.slice(jwt.length - at + 1)

const HEADERS: readonly unknown[] = [
  {},
  null,
  { alg: 'none', typ: 'JWT' },
  { alg: 'ES256', typ: 'JWT' },
  { typ: 'JWT', alg: 'ES512' },
  { alg: 'ES512', typ: 'JWT', kid: 'a' },
  '{"alg": "ES512", "typ": "JWT"}',
  'x',
]

/** Texts that cannot be valid wrapping tokens. */
async function hopeless(): Promise<readonly string[]> {
  const good = await signed()
  const valid = claimsOf(good)
  const expired = await signed(kernel, '1')
  const opened = await signed()
  const revoked = await signed()
  expect((await ask('POST', 'sys/wrapping/unwrap', opened)).status).toBe(200)
  await kernel.tokens.revokeToken({ token: claimsOf(revoked).jti })
  const otherKernel = await createDevKernel({ clock })
  const foreign = await signed(otherKernel)
  await otherKernel.close()
  await clock.advance(1_000)
  const claims: readonly unknown[] = [
    {},
    null,
    7,
    [],
    'x',
    '{',
    { ...valid, jti: 7 },
    { ...valid, jti: `${valid.jti}x` },
    { ...valid, jti: root },
    { ...valid, accessor: null },
    { ...valid, exp: valid.exp + 1 },
    { ...valid, iat: valid.iat - 1 },
    { ...valid, nbf: 0 },
    { ...valid, type: 'other' },
    { ...valid, addr: 'x' },
    { ...valid, more: 1 },
    Object.fromEntries(Object.entries(valid).reverse()),
    `${JSON.stringify(valid)} `,
    '['.repeat(700),
  ]
  const { length } = good.split('.')[2] as string
  const signatures = ['', 'A', 'A'.repeat(length - 1), 'A'.repeat(length + 1), `${'A'.repeat(length - 1)}=`, '+'.repeat(length)]
  return [
    'a.b.c',
    'abc.def.ghi',
    'ab..',
    `${'x'.repeat(500)}.${'y'.repeat(400)}.z`,
    `${'x'.repeat(30_000)}.y.z`,
    expired,
    opened,
    revoked,
    foreign,
    `${good}.`,
    ` ${good}`,
    ...HEADERS.map((header) => changed(good, { header })),
    ...claims.map((text) => changed(good, { claims: text })),
    ...signatures.map((signature) => changed(good, { signature })),
  ]
}

/** All ways to send a wrapping token: as a parameter and as the token of the request. */
const TOKENLESS: readonly (readonly [method: string, path: string, where: 'body' | 'header', status: number])[] = [
  ['POST', 'sys/wrapping/lookup', 'body', 400],
  ['POST', 'sys/wrapping/lookup', 'header', 400],
  ['GET', 'sys/wrapping/lookup', 'header', 400],
  ['POST', 'sys/wrapping/unwrap', 'body', 400],
  ['POST', 'sys/wrapping/unwrap', 'header', 400],
  ['POST', 'sys/wrapping/rewrap', 'body', 400],
  ['POST', 'sys/wrapping/rewrap', 'header', 400],
  ['GET', 'secret/a', 'header', 403],
]

describe.each(TOKENLESS)('signature checks of %s %s with a wrapping token in the %s', (method, path, where, status) => {
  const send = (text: string) =>
    where === 'body' ? ask(method, path, undefined, { token: text }) : ask(method, path, text, method === 'POST' ? {} : undefined)

  it('are not made for foreign, altered, expired or used wrapping tokens', async () => {
    const texts = await hopeless()
    counts.verified = 0
    for (const text of texts) expect([text, (await send(text)).status]).toEqual([text, status])
    expect(counts.verified).toBe(0)
  })

  it('are limited to a few per second if the signatures are wrong, even for valid claims', async () => {
    const jwt = await signed()
    const statuses = []
    for (let nth = 0; nth < 4 * WRONG_SIGNATURES_PER_SECOND; nth++) statuses.push((await send(forged(jwt, 5 + nth))).status)
    expect(counts.verified).toBe(WRONG_SIGNATURES_PER_SECOND)
    expect(statuses.slice(0, WRONG_SIGNATURES_PER_SECOND)).toEqual(Array(WRONG_SIGNATURES_PER_SECOND).fill(status))
    expect(new Set(statuses.slice(WRONG_SIGNATURES_PER_SECOND))).toEqual(new Set([429]))
    await clock.advance(1_000)
    expect((await send(forged(jwt))).status).toBe(status)
  })
})

const PLACES: Readonly<Record<string, string>> = {
  transit: 'transit',
  kv: 'secret',
  system: 'sys',
  token: 'auth/token',
  orchestrator: 'auth/orchestrator',
}

it('operations other than wrapping verify no signature of a wrapping token in any field', async () => {
  await using otherKernel = await createDevKernel({ crypto, clock })
  const jwt = changed(await signed(), { claims: { jti: 'x', accessor: '' } })
  for (const { type, operations } of ENGINES)
    for (const { verb, path, fields } of Object.values(operations)) {
      // The first would seal the kernel, and the others take seconds to generate a key.
      if (/^\/seal$|wrapping_key|import/.test(path)) continue
      const below = `${PLACES[type] ?? type}${path.replaceAll(/:\w+/g, 'x')}`
      const input = Object.fromEntries(Object.keys(fields).map((name) => [name, jwt]))
      for (const token of [otherKernel.rootToken, jwt, undefined])
        await ask(verb, below, token, verb === 'GET' || verb === 'LIST' ? undefined : input, otherKernel)
      expect([type, path, counts.verified]).toEqual([type, path, 0])
    }
})

describe('a caller with a valid signed wrapping token', () => {
  it('causes one signature check, however often it sends the token', async () => {
    const jwt = await signed()
    for (let nth = 0; nth < 50; nth++)
      expect((await ask('POST', 'sys/wrapping/lookup', undefined, { token: jwt })).status).toBe(200)
    expect(counts.verified).toBe(1)
    expect((await ask('POST', 'sys/wrapping/unwrap', jwt, { token: jwt })).status).toBe(200)
    expect((await ask('POST', 'sys/wrapping/unwrap', jwt, { token: jwt })).status).toBe(400)
  })

  it('is not limited, however many valid wrapping tokens it sends', async () => {
    for (let nth = 0; nth < 4 * WRONG_SIGNATURES_PER_SECOND; nth++)
      expect((await ask('POST', 'sys/wrapping/unwrap', await signed())).status).toBe(200)
  })

  it('is not limited to a few wrong signatures if it also sends a valid service token', async () => {
    const jwt = await signed()
    const tries = 2 * WRONG_SIGNATURES_PER_SECOND
    for (const path of ['sys/wrapping/rewrap', 'sys/wrapping/unwrap'])
      for (let nth = 0; nth < tries; nth++)
        expect((await ask('POST', path, root, { token: forged(jwt, 5 + nth) })).status).toBe(400)
    expect((await ask('POST', 'sys/wrapping/rewrap', root, { token: jwt })).status).toBe(200)
  })
})

it('typed wrapping calls throw ERR_TOO_MANY_REQUESTS above the limit on wrong signatures', async () => {
  const { wrapping } = kernel
  for (const token of await hopeless()) await expect(wrapping.lookupWrapping({ token })).rejects.toMatchObject({ status: 400 })
  const jwt = await signed()
  counts.verified = 0
  for (let nth = 0; nth < 4 * WRONG_SIGNATURES_PER_SECOND; nth++)
    await expect(wrapping.lookupWrapping({ token: forged(jwt, 5 + nth) })).rejects.toMatchObject({
      code: nth < WRONG_SIGNATURES_PER_SECOND ? 'ERR_NOT_FOUND' : 'ERR_TOO_MANY_REQUESTS',
    })
  expect(counts.verified).toBe(WRONG_SIGNATURES_PER_SECOND)
  await clock.advance(1_000)
  await expect(kernel.as(forged(jwt)).kv.readSecret({ path: 'a' })).rejects.toMatchObject({ status: 403 })
})
