/**
 * Which version of a key a request gets (source: behaviour of the originals). Room: engines/transit. Imported by the operations.
 */
import { invalid } from '../../core/errors.ts'
import type { Ring } from './ring.ts'

/** For encrypt, rewrap's target, sign and hmac: 0 is the latest. @throws KernelError 400 */
export function producingVersion(ring: Ring, asked: number): number {
  const { latest_version: latest, min_encryption_version: least } = ring
  const version = asked === 0 ? latest : asked
  if (version < 0) throw invalid('key_version: must not be negative')
  if (version > latest) throw invalid(`key_version: ${version} is above the latest version, which is ${latest}`)
  if (version < least) throw invalid(`key_version: ${version} is below min_encryption_version, which is ${least}`)
  return existing(ring, version)
}

/** For what was produced earlier: the version it names. @throws KernelError 400 */
export function consumingVersion(ring: Ring, named: number, what: string): number {
  if (named > ring.latest_version) throw invalid(`${what}: version is too new`)
  if (named < ring.min_decryption_version) throw invalid(`${what}: version is disallowed by min_decryption_version (too old)`)
  return existing(ring, named)
}

/** Versions below min_decryption_version are out of work, also for new ciphertexts. */
function existing(ring: Ring, version: number): number {
  if (version < ring.min_decryption_version || ring.versions[version] === undefined)
    throw invalid('key_version: no such key version')
  return version
}
