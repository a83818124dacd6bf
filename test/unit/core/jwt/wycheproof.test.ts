/**
 * Wycheproof's signatures and key sets. Their keys are JWKs, but verification keys here are PEM and have no `alg`, `use`, `key_ops` or
 * `kid`. Vectors that are invalid only because of these members are excluded. So are vectors that are valid in this configuration (keys of
 * 1,024 bits) or depend on unknown facts (how the primes of a key were generated). HMAC is not supported, so every HMAC signature is
 * refused, including the valid ones.
 */
import { describe, expect, it } from 'vitest'
import { KernelError } from '../../../../src/core/base/errors.ts'
import { loginRefusal } from '../../../../src/core/contract/login-refusal.ts'
import { encodeDer } from '../../../../src/core/crypto/asn1/der-writer.ts'
import { spki } from '../../../../src/core/crypto/asn1/envelopes.ts'
import { CURVE_IDS, EC_PUBLIC_KEY } from '../../../../src/core/crypto/asn1/object-ids.ts'
import type { CryptoBackend, CurveName } from '../../../../src/core/crypto/backend.ts'
import { encodePem } from '../../../../src/core/crypto/pem.ts'
import { bytesBigint, rsaSpki } from '../../../../src/core/crypto/rsa/index.ts'
import { parseJws } from '../../../../src/core/jwt/jws.ts'
import { VerificationKeys } from '../../../../src/core/jwt/verification-keys.ts'
import { BACKENDS } from '../../../fixtures/backends.ts'
import { describeIfShared, readSharedJson } from '../../../fixtures/shared-data.ts'
import { itMatchesWycheproof, WYCHEPROOF, type WycheproofTest } from '../../../vectors/wycheproof.ts'
import { NINE } from './tokens.ts'
import { verifiesSoon } from './verifies.ts'

interface Jwk {
  readonly kty: string
  readonly alg?: string
  readonly use?: string
  readonly key_ops?: readonly string[]
  readonly crv?: string
  readonly x?: string
  readonly y?: string
  readonly n?: string
  readonly e?: string
}
type Jwks = Jwk | { readonly keys: readonly Jwk[] }
interface Group {
  readonly comment: string
  readonly public?: Jwks
  readonly private?: Jwks
}
interface Test extends WycheproofTest {
  readonly jws: string
}

function jwksOf({ public: open, private: own }: Group): readonly Jwk[] {
  const keys = (open ?? own) as Jwks
  return 'keys' in keys ? keys.keys : [keys]
}

const bytes = (text = ''): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'))

/** Encodes the key without validation. Key types without a public half return nothing. */
function pemOf({ kty, crv, x, y, n, e }: Jwk): readonly string[] {
  if (kty === 'RSA') return [encodePem('PUBLIC KEY', rsaSpki({ n: bytesBigint(bytes(n)), e: bytesBigint(bytes(e)) }))]
  if (kty !== 'EC') return []
  const point = Uint8Array.of(4, ...bytes(x), ...bytes(y))
  return [encodePem('PUBLIC KEY', encodeDer(spki(EC_PUBLIC_KEY, CURVE_IDS[crv as CurveName], point)))]
}

/** Whether a login with this token would pass signature verification. */
async function accepts(crypto: CryptoBackend, { jws }: Test, group: Group): Promise<boolean> {
  try {
    const keys = VerificationKeys.of(jwksOf(group).flatMap(pemOf), 'pem_keys', crypto)
    return await verifiesSoon(parseJws(jws), keys)
  } catch (error) {
    if (error instanceof KernelError && (error.status === 400 || loginRefusal(error) !== undefined)) return false
    throw error
  }
}

const isHmac = (group: Group): boolean => jwksOf(group).some(({ kty }) => kty === 'oct')

function outside({ jws, result }: Test, group: Group): string | undefined {
  if (isHmac(group)) return 'HMAC keys, tested below'
  if (result === 'valid') return undefined
  if (group.comment === 'jws_rsa_roca_key') return 'RSA primes that are known to be weak'
  if (group.comment === 'keysize_too_small') return 'RSA keys of 1,024 bits, which are accepted'
  const [{ alg, use = 'sig', key_ops = ['verify'] }] = jwksOf(group) as [Jwk]
  if (use !== 'sig' || !key_ops.includes('verify')) return 'keys declared for another use'
  const named = algOf(jws)
  if (NINE.some(([one]) => one === named) && alg !== named) return 'keys declared for another algorithm'
  return undefined
}

/** The algorithm in the header, if the header can be parsed. */
function algOf(jws: string): unknown {
  try {
    return JSON.parse(Buffer.from(jws.split('.')[0] as string, 'base64url').toString()).alg
  } catch {
    return undefined
  }
}

const FILES = ['json_web_signature_test.json', 'json_web_key_test.json']
describe.each(BACKENDS)('JSON Web Signature verification by $name', (crypto) => {
  const isAccepted = (test: Test, group: Group) => accepts(crypto, test, group)
  for (const file of FILES) itMatchesWycheproof<Group, Test>(file, { outside, accepts: isAccepted })
})

describeIfShared(WYCHEPROOF, 'JSON Web Signatures with HMAC', () => {
  it.each(FILES)('JSON Web Signature verification refuses every HMAC signature in %s', async (file) => {
    const { testGroups } = readSharedJson<{ readonly testGroups: readonly (Group & { readonly tests: readonly Test[] })[] }>(
      WYCHEPROOF + file,
    )
    const tests = testGroups.filter(isHmac).flatMap((group) => group.tests.map((test) => ({ test, group })))
    expect(tests.length).toBeGreaterThan(10)
    for (const crypto of BACKENDS) for (const { test, group } of tests) expect(await accepts(crypto, test, group)).toBe(false)
  })
})
