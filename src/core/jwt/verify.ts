/** Verifies that the signature of a token was made with one of the keys. */
import type { Allowance } from '../base/allowance.ts'
import { isSteps, type Steps } from '../base/steps.ts'
import { takeLoginAllowance } from '../contract/login-refusal.ts'
import type { CurveName, EcdsaVerifyKey } from '../crypto/backend.ts'
import type { RsaPublicKey } from '../crypto/rsa/index.ts'
import type { Jws } from './jws.ts'
import type { KeyWithId, VerificationKeys } from './verification-keys.ts'

/**
 * The approximate processor time of a verification in milliseconds, with the slower of the backends `nobleCrypto()` and `nodeCrypto()`. An
 * RSA verification is much faster than an ECDSA verification for every allowed key size.
 */
const COSTS: Readonly<Record<CurveName | 'rsa', number>> = { 'P-256': 4, 'P-384': 6, 'P-521': 12, rsa: 1 }

/**
 * A mount's allowance for tokens with a wrong signature, in milliseconds of processor time: 200 per second, which is enough for 50 failed
 * logins per second with one P-256 key, or 16 with one P-521 key. Unused time accumulates up to 1,000 milliseconds, so that one login may
 * try all keys of a configuration (32 P-521 keys take 384 milliseconds) in addition to other logins.
 */
export const WRONG_SIGNATURES = { perSecond: 200, most: 1000 } as const

interface SignatureCheck {
  readonly cost: number
  readonly verify: () => boolean | Steps<boolean>
}

/**
 * Tries the keys that fit the algorithm, one key per step, beginning with the key that the header names. The salt of a PSS signature must
 * be as long as the digest (RFC 7518 section 3.5). An ECDSA signature is r || s.
 * @param allowance The cost of each attempt is taken from the allowance before the attempt. If a key verifies the signature, the costs of
 * all attempts are given back to the allowance.
 * @throws KernelError 429 if the allowance is used up
 */
export function* verifySteps(jws: Jws, keys: VerificationKeys, allowance: Allowance): Steps<boolean> {
  let spent = 0
  for (const { cost, verify } of signatureChecks(jws, keys)) {
    if (spent > 0) yield
    takeLoginAllowance(allowance, cost)
    spent += cost
    const verdict = verify()
    if (!(isSteps(verdict) ? yield* verdict : verdict)) continue
    allowance.giveBack(spent)
    return true
  }
  return false
}

function signatureChecks({ algorithm, keyId, signed, signature }: Jws, keys: VerificationKeys): readonly SignatureCheck[] {
  const { hash } = algorithm
  if (algorithm.family === 'ecdsa') {
    const cost = COSTS[algorithm.curve]
    const named = namedFirst(keys.ecdsa(algorithm.curve), keyId)
    const isSignedBy = (key: EcdsaVerifyKey): boolean | Steps<boolean> =>
      signed.length > key.shortBytes
        ? key.verifyMessageSteps(signature, signed, hash)
        : key.verifyMessage(signature, signed, hash)
    return named.map(({ key }) => ({ cost, verify: () => isSignedBy(key) }))
  }
  const digest = keys.crypto.hash(hash).digest(signed)
  const isSignedBy = (key: RsaPublicKey): boolean =>
    algorithm.padding === 'pss' ? key.verifyPss(hash, digest, signature, digest.length) : key.verifyPkcs1(hash, digest, signature)
  return namedFirst(keys.rsa, keyId).map(({ key }) => ({ cost: COSTS.rsa, verify: () => isSignedBy(key) }))
}

const namedFirst = <K>(keys: readonly KeyWithId<K>[], keyId: unknown): readonly KeyWithId<K>[] =>
  keys.toSorted((a, b) => Number(b.id === keyId) - Number(a.id === keyId))
