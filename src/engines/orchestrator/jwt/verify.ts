/**
 * Whether one of the keys made the signature of a token. Room: engines/orchestrator/jwt. Imported by logins.
 */
import type { Jws } from './jws.ts'
import type { VerificationKeys } from './keys.ts'

/**
 * Keys are tried in turn, but only those that the algorithm is for; what the header says of a key plays no part. Salts of PSS are as
 * long as the digest (RFC 7518 section 3.5), ECDSA signatures r || s. Never throws.
 */
export function verifies({ algorithm, signed, signature }: Jws, keys: VerificationKeys): boolean {
  const { hash } = algorithm
  if (algorithm.family === 'ecdsa') return keys.ecdsa(algorithm.curve).some((key) => key.verifyMessage(signature, signed, hash))
  const digest = keys.crypto.hash(hash).digest(signed)
  return algorithm.padding === 'pss'
    ? keys.rsa.some((key) => key.verifyPss(hash, digest, signature, digest.length))
    : keys.rsa.some((key) => key.verifyPkcs1(hash, digest, signature))
}
