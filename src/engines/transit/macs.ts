/**
 * HMACs under a ring's versions (reference: transit.md 5.7). Room: engines/transit. Imported by hmac and verify.
 */
import { decodeBase64, encodeBase64 } from '../../core/base64.ts'
import { type HashName, SLICE_BYTES, type Steps } from '../../core/crypto/backend.ts'
import { equalBytes } from '../../core/crypto/equal.ts'
import type { Environment, Work } from '../../core/transaction/tx.ts'
import type { RingKeys } from './ring-keys.ts'
import { parseMark, versioned } from './text.ts'
import { consumingVersion } from './versions.ts'

export function makeMac(
  env: Environment,
  keys: RingKeys,
  version: number,
  hash: HashName,
  input: Uint8Array,
): Work<{ hmac: string }> {
  const key = keys.version(version)
  const show = (mac: Uint8Array) => ({ hmac: versioned(env.ciphertextPrefix, version, encodeBase64(mac)) })
  return () => (input.length > SLICE_BYTES ? then(key.mac(hash).macSteps(input), show) : show(key.mac(hash).mac(input)))
}

/** @throws KernelError 400 for a malformed value; a wrong one is not valid, whatever its length. */
export function checkMac(
  env: Environment,
  keys: RingKeys,
  value: string,
  hash: HashName,
  input: Uint8Array,
): Work<{ valid: boolean }> {
  const { version, body } = parseMark(env.ciphertextPrefix, value, 'hmac')
  const given = decodeBase64(body, 'hmac')
  const key = keys.version(consumingVersion(keys.ring, version, 'hmac'))
  const compare = (mac: Uint8Array) => ({ valid: mac.length === given.length && equalBytes(mac, given) })
  return () => (input.length > SLICE_BYTES ? then(key.mac(hash).macSteps(input), compare) : compare(key.mac(hash).mac(input)))
}

function* then<A, B>(steps: Steps<A>, use: (value: A) => B): Steps<B> {
  return use(yield* steps)
}
