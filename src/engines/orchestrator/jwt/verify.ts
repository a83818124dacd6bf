/**
 * Whether one of the keys made the signature of a token.
 */
import type { Allowance } from '../../../core/base/allowance.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { takeForLogin } from '../../../core/contract/login-refusal.ts'
import type { CurveName } from '../../../core/crypto/backend.ts'
import type { RsaPublicKey } from '../../../core/crypto/rsa/index.ts'
import type { Jws } from './jws.ts'
import type { NamedKey, VerificationKeys } from './keys.ts'

/** Milliseconds that one verification takes the processor, about, by the slower of the two backends; of RSA by far the least, at any size. */
const COSTS: Readonly<Record<CurveName | 'rsa', number>> = { 'P-256': 4, 'P-384': 6, 'P-521': 12, rsa: 1 }

/**
 * What tokens that nobody has signed may cost one mount: a fifth of a processor, which lets 50 logins a second fail by one key of P-256 and
 * 16 by one of P-521. After quiet seconds it is more at once, so that one login may try all keys that a configuration can have (32 of
 * P-521: 384 milliseconds), and others beside it.
 */
export const WRONG_SIGNATURES = { perSecond: 200, most: 1000 } as const

interface Attempt {
  readonly cost: number
  readonly isGood: () => boolean
}

/**
 * Keys are tried in turn, a step each, but only those that the algorithm is for; the one that the header names goes first, and what else it
 * says of keys plays no part. Salts of PSS are as long as the digest (RFC 7518 section 3.5), ECDSA signatures r || s.
 * @param allowance What failing costs is taken from, ahead of each try; given back where one of the keys did sign.
 * @throws KernelError 429 where there is none left
 */
export function* verifySteps(jws: Jws, keys: VerificationKeys, allowance: Allowance): Steps<boolean> {
  let spent = 0
  for (const { cost, isGood } of attemptsOf(jws, keys)) {
    if (spent > 0) yield
    takeForLogin(allowance, cost)
    spent += cost
    if (!isGood()) continue
    allowance.giveBack(spent)
    return true
  }
  return false
}

function attemptsOf({ algorithm, keyId, signed, signature }: Jws, keys: VerificationKeys): readonly Attempt[] {
  const { hash } = algorithm
  if (algorithm.family === 'ecdsa') {
    const cost = COSTS[algorithm.curve]
    const named = namedFirst(keys.ecdsa(algorithm.curve), keyId)
    return named.map(({ key }) => ({ cost, isGood: () => key.verifyMessage(signature, signed, hash) }))
  }
  const digest = keys.crypto.hash(hash).digest(signed)
  const isSignedBy = (key: RsaPublicKey): boolean =>
    algorithm.padding === 'pss' ? key.verifyPss(hash, digest, signature, digest.length) : key.verifyPkcs1(hash, digest, signature)
  return namedFirst(keys.rsa, keyId).map(({ key }) => ({ cost: COSTS.rsa, isGood: () => isSignedBy(key) }))
}

const namedFirst = <K>(keys: readonly NamedKey<K>[], keyId: unknown): readonly NamedKey<K>[] =>
  keys.toSorted((a, b) => Number(b.id === keyId) - Number(a.id === keyId))
