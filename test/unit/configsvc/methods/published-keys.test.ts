/** The keys that identity providers publish: which are used, when they are fetched, and how failing providers are treated. */
import '../../../fixtures/loaded-curves.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../../src/adapters/crypto-node/index.ts'
import { type KeysOutcome, PublishedKeySets } from '../../../../src/configsvc/methods/published-keys.ts'
import { NoAnswer } from '../../../../src/core/base/deadline.ts'
import { readKeySet } from '../../../../src/core/jwt/key-set.ts'
import { fakeClock } from '../../../../src/testing/index.ts'
import { P256, P384, P521, type Pair, RSA } from '../../core/jwt/tokens.ts'

const crypto = nodeCrypto()
const jwk = ({ publicKey }: Pair, more: object = {}) => ({ ...publicKey.export({ format: 'jwk' }), ...more })
const setOf = (...keys: readonly object[]) => JSON.stringify({ keys })

const URL = 'https://idp.example/keys'
const ISSUER = 'https://idp.example/tenant'
const DISCOVERY = `${ISSUER}/.well-known/openid-configuration`
const PLAIN = { url: URL, isIssuer: false, caCert: null }
const OIDC = { url: ISSUER, isIssuer: true, caCert: null }

let clock: ReturnType<typeof fakeClock>
let requests: string[]
let documents: Record<string, string | Error>
let keySets: PublishedKeySets
beforeEach(() => {
  clock = fakeClock(1_800_000_000_000)
  requests = []
  documents = { [URL]: setOf(jwk(RSA, { kid: 'one' })), [DISCOVERY]: JSON.stringify({ issuer: ISSUER, jwks_uri: URL }) }
  keySets = new PublishedKeySets(clock, crypto, {
    async fetch({ url }) {
      requests.push(url)
      const document = documents[url] ?? new Error('not found')
      if (document instanceof Error) throw document
      return document
    },
  })
})

const ask = (source = PLAIN, keyId: unknown = 'one') => keySets.keysOf(source, keyId, new AbortController().signal)
const failureOf = (outcome: KeysOutcome) => ('failure' in outcome ? outcome.failure : undefined)

describe('a published key set', () => {
  it('provides its RSA keys and its EC keys of the curves P-256, P-384 and P-521', () => {
    const keys = readKeySet(
      setOf(jwk(RSA, { kid: 'r' }), jwk(P256, { kid: 'a' }), jwk(P384), jwk(P521, { use: 'sig', alg: 'ES512' })),
      crypto,
    )
    expect(keys.rsa.map(({ id }) => id)).toEqual(['r'])
    expect(keys.ecdsa('P-256').map(({ id }) => id)).toEqual(['a'])
    expect([keys.ecdsa('P-384').length, keys.ecdsa('P-521').length]).toEqual([1, 1])
  })

  it.each([
    ['for encryption', { use: 'enc' }],
    ['for other operations', { key_ops: ['encrypt'] }],
    ['of an unsupported algorithm', { alg: 'HS256' }],
    ['of an unsupported type', { kty: 'oct' }],
    ['without a modulus', { n: undefined }],
    ['with a modulus that is not a string', { n: 7 }],
    ['with a modulus that is too long', { n: 'A'.repeat(5000) }],
    ['with a modulus that is too short', { n: 'AQAB' }],
    ['with an exponent of 1', { e: 'AQ' }],
  ])('omits a key %s', (_, change) => {
    expect(readKeySet(setOf(jwk(RSA, change), jwk(P256)), crypto).rsa).toEqual([])
    expect(() => readKeySet(setOf(jwk(RSA, change)), crypto)).toThrow('must have a key that verifies signatures')
  })

  it('omits a key whose point is not on its curve', () => {
    const { x } = jwk(P256)
    expect(readKeySet(setOf(jwk(P256, { y: x }), jwk(P384)), crypto).ecdsa('P-256')).toEqual([])
  })

  it.each([
    ['text that is not JSON', '<html>'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no keys', '{}'],
    ['keys that is not a list', '{"keys":{}}'],
    ['33 keys', setOf(...Array.from({ length: 33 }, () => jwk(P256)))],
    ['a long document', JSON.stringify({ keys: [], x: 'x'.repeat(262_144) })],
    ['keys that are not objects', '{"keys":[null,1,"a",[]]}'],
  ])('is refused with %s', async (_, document) => {
    documents[URL] = document
    expect(failureOf(await ask())).toBe('protocol')
  })
})

describe('an OpenID Connect issuer', () => {
  it('is fetched as a discovery document first, and then as the key set that the document names', async () => {
    expect(await ask(OIDC)).toMatchObject({ issuer: ISSUER })
    expect(requests).toEqual([DISCOVERY, URL])
  })

  it.each([
    ['of another issuer', { issuer: 'https://other.example', jwks_uri: URL }],
    ['without a key set', { issuer: ISSUER }],
    ['with a key set in plain text', { issuer: ISSUER, jwks_uri: 'http://idp.example/keys' }],
    ['with a key set in a file', { issuer: ISSUER, jwks_uri: 'file:///etc/keys' }],
  ])('is refused with a discovery document %s', async (_, document) => {
    documents[DISCOVERY] = JSON.stringify(document)
    expect(failureOf(await ask(OIDC))).toBe('protocol')
    expect(requests).toEqual([DISCOVERY])
  })
})

describe('a published key set', () => {
  it('is fetched once for all callers within five minutes', async () => {
    await Promise.all(Array.from({ length: 20 }, () => ask()))
    await clock.advance(299_999)
    await ask()
    expect(requests).toHaveLength(1)
    await clock.advance(1)
    await ask()
    expect(requests).toHaveLength(2)
  })

  it('is fetched again for an unknown key id, but at most once in ten seconds', async () => {
    for (let nth = 0; nth < 50; nth++) await ask(PLAIN, `unknown-${nth}`)
    expect(requests).toHaveLength(1)
    documents[URL] = setOf(jwk(RSA, { kid: 'two' }))
    await clock.advance(10_000)
    expect(await ask(PLAIN, 'two')).toMatchObject({ keys: { rsa: [{ id: 'two' }] } })
    for (let nth = 0; nth < 50; nth++) await ask(PLAIN, `unknown-${nth}`)
    expect(requests).toHaveLength(2)
  })

  it('is fetched again after a failure, with doubling pauses of at most 60 seconds', async () => {
    documents[URL] = new Error('refused')
    const times: number[] = []
    const begin = clock.now()
    for (let second = 0; second < 200; second++) {
      const before = requests.length
      expect(failureOf(await ask())).toBe('transport')
      if (requests.length > before) times.push((clock.now() - begin) / 1000)
      await clock.advance(1000)
    }
    expect(times).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183])
  })

  it('is used for up to an hour while its provider fails', async () => {
    await ask()
    documents[URL] = new NoAnswer('slow')
    await clock.advance(3_599_999)
    expect(failureOf(await ask())).toBeUndefined()
    await clock.advance(1)
    expect(failureOf(await ask())).toBe('timeout')
  })

  it('is cached separately for each set of CA certificates', async () => {
    await ask()
    await ask({ ...PLAIN, caCert: 'other' as unknown as null })
    expect(requests).toHaveLength(2)
  })

  it('cannot be fetched if the application provides no port for requests', async () => {
    const none = new PublishedKeySets(clock, crypto, undefined)
    expect(failureOf(await none.keysOf(PLAIN, undefined, new AbortController().signal))).toBe('nothing-to-verify-with')
  })
})
