/**
 * Wycheproof's signed texts and key sets. Their keys are JWKs, which say more than PEM can: a key of ours has no `alg`, `use` or `key_ops`,
 * and no `kid` either. So what is invalid for that alone is out of scope, and so is what is invalid as our configuration allows it (keys
 * of 1,024 bits) or cannot know (how the primes of a key were made). HMAC is no algorithm here: whatever it signed is refused, the valid too.
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
import { itJudges, WYCHEPROOF, type WycheproofTest } from '../../../vectors/wycheproof.ts'
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
  const given = (open ?? own) as Jwks
  return 'keys' in given ? given.keys : [given]
}

const bytes = (text = ''): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64url'))

/** As it stands, whether or not it is a key; nothing for kinds that have no public half. */
function pemOf({ kty, crv, x, y, n, e }: Jwk): readonly string[] {
  if (kty === 'RSA') return [encodePem('PUBLIC KEY', rsaSpki({ n: bytesBigint(bytes(n)), e: bytesBigint(bytes(e)) }))]
  if (kty !== 'EC') return []
  const point = Uint8Array.of(4, ...bytes(x), ...bytes(y))
  return [encodePem('PUBLIC KEY', encodeDer(spki(EC_PUBLIC_KEY, CURVE_IDS[crv as CurveName], point)))]
}

/** Whether a login with this token would get past its signature. */
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

/** What the header names, if it can be read. */
function algOf(jws: string): unknown {
  try {
    return JSON.parse(Buffer.from(jws.split('.')[0] as string, 'base64url').toString()).alg
  } catch {
    return undefined
  }
}

const FILES = ['json_web_signature_test.json', 'json_web_key_test.json']
describe.each(BACKENDS)('JSON Web Signature verification by $name', (crypto) => {
  const judged = (test: Test, group: Group) => accepts(crypto, test, group)
  for (const file of FILES) itJudges<Group, Test>(file, { outside, accepts: judged })
})

describeIfShared(WYCHEPROOF, 'JSON Web Signatures with HMAC', () => {
  it.each(FILES)('%s: are all refused, even next to valid keys', async (file) => {
    const { testGroups } = readSharedJson<{ readonly testGroups: readonly (Group & { readonly tests: readonly Test[] })[] }>(
      WYCHEPROOF + file,
    )
    const tests = testGroups.filter(isHmac).flatMap((group) => group.tests.map((test) => ({ test, group })))
    expect(tests.length).toBeGreaterThan(10)
    for (const crypto of BACKENDS) for (const { test, group } of tests) expect(await accepts(crypto, test, group)).toBe(false)
  })
})
