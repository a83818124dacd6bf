/**
 * Whether one of the keys made the signature of a token. Room: engines/orchestrator/jwt. Imported by logins.
 */
import type { Steps } from '../../../core/crypto/backend.ts'
import type { Jws } from './jws.ts'
import type { VerificationKeys } from './keys.ts'

/**
 * Keys are tried in turn, a step each, but only those that the algorithm is for; what the header says of a key plays no part. Salts of
 * PSS are as long as the digest (RFC 7518 section 3.5), ECDSA signatures r || s. Never throws.
 */
export function* verifySteps(jws: Jws, keys: VerificationKeys): Steps<boolean> {
  let first = true
  for (const isGood of attemptsOf(jws, keys)) {
    if (!first) yield
    first = false
    if (isGood()) return true
  }
  return false
}

function attemptsOf({ algorithm, signed, signature }: Jws, keys: VerificationKeys): readonly (() => boolean)[] {
  const { hash } = algorithm
  if (algorithm.family === 'ecdsa')
    return keys.ecdsa(algorithm.curve).map((key) => () => key.verifyMessage(signature, signed, hash))
  const digest = keys.crypto.hash(hash).digest(signed)
  return algorithm.padding === 'pss'
    ? keys.rsa.map((key) => () => key.verifyPss(hash, digest, signature, digest.length))
    : keys.rsa.map((key) => () => key.verifyPkcs1(hash, digest, signature))
}
