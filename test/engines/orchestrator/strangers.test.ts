/**
 * Limits what unauthenticated callers can cause: a signature is verified only if all claims could be valid, and then only within the
 * allowance of the mount. The tests count operations, not time.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import { RsaPublicKey } from '../../../src/core/crypto/rsa/index.ts'
import { WRONG_SIGNATURES } from '../../../src/core/jwt/verify.ts'
import { fakeClock, fakeTokenReviewer } from '../../../src/testing/index.ts'
import { countingCrypto } from '../../fixtures/counting-crypto.ts'
import { encode, P256, P521, type Pair, RSA, spkiPem, token } from '../../unit/core/jwt/tokens.ts'
import { type Input, PATH, REFUSED, VIEWS } from './views.ts'
import { claims, jwtOf, NOW, openWorld, WEB, type World } from './world.ts'

const ec = (namedCurve: string, count: number): readonly Pair[] =>
  Array.from({ length: count }, () => generateKeyPairSync('ec', { namedCurve }))

const MAX_KEYS = ec('P-521', 32)
const HEADER = { alg: 'ES512', typ: 'JWT' }
const BY_LAST = MAX_KEYS.at(-1) as Pair

/** Signed with a configured key, so that only a check of the claims can refuse the token. */
const signed = (payload: unknown, header: unknown = HEADER, key: KeyObject = BY_LAST.privateKey): string =>
  token('ES512', payload, header, key)

const good = (account: Partial<typeof WEB> = WEB, more: Input = {}): Input =>
  claims(account, { iss: 'cluster', aud: ['strongroom'], iat: NOW - 60, exp: NOW + 600, ...more })

/** Tokens with refused claims. Their signatures are valid; with a verification the reason would differ. */
const HOPELESS: readonly (readonly [reason: string, jwt: string])[] = [
  ['token-too-large', 'x'.repeat(16_385)],
  ['token-malformed', 'a.b.c'],
  ['token-malformed', signed(good(), { ...HEADER, crit: ['x'] })],
  ['algorithm-not-allowed', signed(good(), { alg: 'HS512' })],
  ['claims-malformed', signed('no object')],
  ['claims-malformed', signed(good(WEB, { exp: '1' }))],
  ['expired', signed(good(WEB, { iat: 0, exp: 1 }))],
  ['expired', signed(good(WEB, { iat: NOW - 1000, exp: NOW - 61 }))],
  ['not-yet-valid', signed(good(WEB, { nbf: NOW + 61 }))],
  ['issued-in-future', signed(good(WEB, { nbf: NOW, iat: NOW + 61 }))],
  ['issuer-mismatch', signed(good(WEB, { iss: 'somebody' }))],
  ['issuer-mismatch', signed(good(WEB, { iss: 7 }))],
  ['audience-mismatch', signed(good(WEB, { aud: ['elsewhere'] }))],
  ['claims-malformed', signed(good(WEB, { aud: 7 }))],
  ['claims-malformed', signed(good(WEB, { 'kubernetes.io': 'x' }))],
  ['claims-malformed', signed(good({ ...WEB, name: 'x'.repeat(254) }))],
  ['claims-malformed', signed(good({ ...WEB, namespace: 'a/b' }))],
  ['name-not-bound', signed(good({ ...WEB, name: 'stranger' }))],
  ['namespace-not-bound', signed(good({ ...WEB, namespace: 'elsewhere' }))],
  ['uid-missing', signed(good({ ...WEB, uid: '' }))],
]

/** Two keys only, because parsing 32 keys takes longer than the rest of the login. */
const CONFIG = { pem_keys: MAX_KEYS.slice(-2).map(spkiPem), disable_iss_validation: false, issuer: 'cluster' }

it.each(HOPELESS)('a login token refused with %s causes neither a signature verification nor a review', async (reason, jwt) => {
  const { crypto, counts } = countingCrypto(nodeCrypto())
  const reviewer = fakeTokenReviewer()
  await using world = await openWorld({ crypto, reviewer, config: CONFIG, role: { audience: 'strongroom' } })
  counts.keys = 0
  for (const view of VIEWS) expect(await world.login(view, jwt)).toMatchObject(REFUSED)
  expect(await world.refusals()).toEqual(VIEWS.map(() => ({ role: 'web', reason })))
  expect(world.audit.at(-1)).toMatchObject({ reason })
  expect(counts).toEqual({ verified: 0, keys: 0 })
  expect(reviewer.requests).toEqual([])
})

/** A token with valid claims and an invalid signature. */
const forged = (alg: 'ES256' | 'ES512', nth: number): string =>
  `${encode({ alg })}.${encode(claims(WEB, { nth }))}.${encode(new Uint8Array(alg === 'ES256' ? 64 : 132).fill(1))}`

const statusOf = async (world: World, jwt: string, at?: string): Promise<number> =>
  (await world.login(PATH, jwt, at === undefined ? {} : { at })).status

describe.each([
  ['one P-256 key', 'ES256', [P256], 4],
  ['one P-521 key', 'ES512', [P521], 12],
  ['32 P-521 keys', 'ES512', MAX_KEYS, 12],
] as const)('an auth method with %s', (_, alg, pairs, cost) => {
  it('verifies a limited number of forged signatures per second, for typed calls and calls by path together', async () => {
    const { crypto, counts } = countingCrypto(nodeCrypto())
    await using world = await openWorld({ crypto, config: { pem_keys: pairs.map(spkiPem) } })
    const logins = Math.ceil((1.5 * WRONG_SIGNATURES.most) / cost / pairs.length)
    const run = async () => {
      counts.verified = 0
      const statuses = []
      for (let nth = 0; nth < logins; nth++) statuses.push((await world.login(VIEWS[nth % 2] ?? PATH, forged(alg, nth))).status)
      return statuses
    }
    const first = await run()
    expect(counts.verified).toBe(Math.floor(WRONG_SIGNATURES.most / cost))
    expect(first[0]).toBe(403)
    expect(first.at(-1)).toBe(429)
    expect(await world.refusals()).toEqual(
      first.map((status) => ({ role: 'web', reason: status === 429 ? 'too-many-failures' : 'signature-invalid' })),
    )
    expect(world.audit.at(-1)).toMatchObject({ reason: 'too-many-failures' })
    await world.clock.advance(1_000)
    await run()
    expect(counts.verified).toBeGreaterThan(0)
    expect(counts.verified).toBeLessThanOrEqual(Math.ceil(WRONG_SIGNATURES.perSecond / cost))
  })
})

describe('an auth method with 32 keys', () => {
  it('accepts repeated logins with tokens that the last key signed', async () => {
    const { crypto, counts } = countingCrypto(nodeCrypto())
    await using world = await openWorld({ crypto, config: { pem_keys: MAX_KEYS.map(spkiPem) } })
    for (let nth = 0; nth < 5; nth++) expect(await statusOf(world, signed(claims()))).toBe(200)
    expect(counts.verified).toBe(5 * 32)
  })

  it('tries the key whose hash is in the kid header first', async () => {
    const { crypto, counts } = countingCrypto(nodeCrypto())
    await using world = await openWorld({ crypto, config: { pem_keys: MAX_KEYS.map(spkiPem) } })
    const der = BY_LAST.publicKey.export({ type: 'spki', format: 'der' })
    const kid = encode(new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', der)))
    expect(await statusOf(world, signed(claims(), { ...HEADER, kid }))).toBe(200)
    expect(counts.verified).toBe(1)
    // The kid is only a hint: a wrong or unknown kid does not prevent the login.
    const [first] = MAX_KEYS as readonly [Pair]
    expect(await statusOf(world, signed(claims(), { ...HEADER, kid }, first.privateKey))).toBe(200)
    for (const wrong of ['', 'x', 7, null, {}])
      expect(await statusOf(world, signed(claims(), { ...HEADER, kid: wrong }, first.privateKey))).toBe(200)
  })
})

it('successful logins do not count against the limit for wrong signatures', async () => {
  await using world = await openWorld({ crypto: nodeCrypto() })
  for (let nth = 0; nth < WRONG_SIGNATURES.most / 4 + 50; nth++) expect(await statusOf(world, jwtOf())).toBe(200)
})

it('the limit for wrong signatures is separate for each auth method', async () => {
  const { crypto } = countingCrypto(nodeCrypto())
  await using world = await openWorld({ crypto, clock: fakeClock(NOW * 1000) })
  const { mounts, orchestrator } = world.kernel
  await mounts.createAuthMethod({ path: 'other', type: 'orchestrator' })
  const otherOrchestrator = orchestrator.at('auth/other')
  await otherOrchestrator.configure({ orchestrator_host: 'https://api.example', pem_keys: [spkiPem(P256)] })
  await otherOrchestrator.writeRole({ name: 'web', bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] })
  for (let nth = 0; nth < WRONG_SIGNATURES.most / 4; nth++) expect(await statusOf(world, forged('ES256', nth))).toBe(403)
  expect(await statusOf(world, forged('ES256', 0))).toBe(429)
  expect(await statusOf(world, jwtOf(), 'other')).toBe(200)
  expect(await statusOf(world, forged('ES256', 0), 'other')).toBe(403)
  // Other refusals do not need the allowance, and valid tokens are accepted once some of it is available again.
  expect(await statusOf(world, jwtOf({ ...WEB, name: 'stranger' }))).toBe(403)
  await world.clock.advance(1_000)
  expect(await statusOf(world, jwtOf())).toBe(200)
})

it('wrong RSA signatures count against the limit for wrong signatures, but tokens of an algorithm without a configured key do not', async () => {
  const pkcs1 = vi.spyOn(RsaPublicKey.prototype, 'verifyPkcs1')
  await using world = await openWorld({ config: { pem_keys: [spkiPem(RSA)] } })
  const wrong = `${encode({ alg: 'RS256' })}.${encode(claims())}.${encode(new Uint8Array(256).fill(1))}`
  for (let nth = 0; nth < WRONG_SIGNATURES.most + 100; nth++) {
    expect(await statusOf(world, wrong)).toBe(nth < WRONG_SIGNATURES.most ? 403 : 429)
    expect(await statusOf(world, forged('ES512', nth))).toBe(403)
  }
  expect(pkcs1).toHaveBeenCalledTimes(WRONG_SIGNATURES.most)
  pkcs1.mockRestore()
})

describe('a login with an ambiguous account name', () => {
  const role = { bound_service_account_names: ['*'], bound_service_account_namespaces: ['*'] }

  it.each([
    { namespace: 'a', name: 'b/c' },
    { namespace: 'a/b', name: 'c' },
    { namespace: 'a', name: '/' },
    { namespace: 'a:b', name: 'c' },
    { namespace: 'a', name: 'b:c' },
    { uid: 'prod/web' },
    { uid: 'prod:web' },
  ])('is refused with %j in both claim formats', async (account) => {
    const { namespace, name, uid } = { ...WEB, ...account }
    const flat = 'kubernetes.io/serviceaccount'
    const kept = {
      [`${flat}/namespace`]: namespace,
      [`${flat}/service-account.name`]: name,
      [`${flat}/service-account.uid`]: uid,
    }
    for (const alias_name_source of ['serviceaccount_name', 'serviceaccount_uid']) {
      await using world = await openWorld({ role: { ...role, alias_name_source } })
      for (const view of VIEWS)
        for (const jwt of [jwtOf({ namespace, name, uid }), token('ES256', kept)])
          expect(await world.login(view, jwt)).toMatchObject(REFUSED)
      expect(new Set((await world.refusals()).map(({ reason }) => reason))).toEqual(new Set(['claims-malformed']))
    }
  })
})
