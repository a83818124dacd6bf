import { decodeBase64, encodeBase64 } from '../../core/base/base64.ts'
import { invalid } from '../../core/base/errors.ts'
import { mapOutcome, SLICE_BYTES, type Steps } from '../../core/base/steps.ts'
import type { Environment } from '../../core/contract/environment.ts'
import type { Work } from '../../core/contract/tx.ts'
import type { HashName } from '../../core/crypto/backend.ts'
import { equalBytes } from '../../core/crypto/equal.ts'
import type { VersionKey } from './material.ts'
import type { RingKeys } from './ring-keys.ts'
import { formatVersioned, parseSignatureText, serviceForm } from './text.ts'
import { consumingVersion } from './versions.ts'

export function makeMac(
  env: Environment,
  keys: RingKeys,
  version: number,
  hash: HashName,
  input: Uint8Array,
): Work<{ hmac: string }> {
  assertMakesMacs(keys)
  const key = keys.version(version)
  const shown = (body: string) => ({ hmac: formatVersioned(serviceForm(env.ciphertextPrefix), version, body) })
  const show = (made: Uint8Array) => shown(encodeBase64(made))
  const work = () =>
    input.length > SLICE_BYTES ? mapOutcome(key.mac(hash).macSteps(input), show) : shown(key.mac(hash).macText(input))
  return keys.workers ? keys.workers.offload(work, { key, derivation: undefined, input }, show) : work
}

/** Returns false for a wrong HMAC of any length. @throws KernelError 400 for a malformed value */
export function verifyMac(
  env: Environment,
  keys: RingKeys,
  value: string,
  hash: HashName,
  input: Uint8Array,
): Work<{ valid: boolean }> {
  assertMakesMacs(keys)
  const { version, body } = parseSignatureText(serviceForm(env.ciphertextPrefix), value, 'hmac')
  const given = decodeBase64(body, 'hmac')
  const key = keys.version(consumingVersion(keys.ring, version, 'hmac'))
  const compare = (right: Uint8Array) => ({ valid: right.length === given.length && equalBytes(right, given) })
  const work = () => mapOutcome(mac(key, hash, input), compare)
  return keys.workers ? keys.workers.offload(work, { key, derivation: undefined, input }, compare) : work
}

/** @throws KernelError 400 if keys of this type do not compute HMACs */
function assertMakesMacs({ type, ring }: RingKeys): void {
  if (type.isManaged) throw invalid(`name: keys of type ${ring.type} do not compute HMACs`)
}

const mac = (key: VersionKey, hash: HashName, input: Uint8Array): Uint8Array | Steps<Uint8Array> =>
  input.length > SLICE_BYTES ? key.mac(hash).macSteps(input) : key.mac(hash).mac(input)
