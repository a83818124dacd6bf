/** Selects the key version for a request, by Vault's rules. */
import { invalid, notFound } from '../../core/base/errors.ts'
import { checkUse, type Ring, usableVersionNumbers } from './ring.ts'

/** Returns the version with which encrypt, rewrap, sign and hmac work; a requested 0 means the latest. @throws KernelError 400 */
export function producingVersion(ring: Ring, requested: number): number {
  const { latest_version: latest, min_encryption_version: least } = ring
  const version = requested === 0 ? latest : requested
  if (version < 0) throw invalid('key_version: must not be negative')
  if (version > latest) throw notFound(`key_version: ${version} is above the latest version, which is ${latest}`, 400)
  if (version < least) throw invalid(`key_version: ${version} is below min_encryption_version, which is ${least}`)
  return requireUsable(ring, version)
}

/** Checks the version that a ciphertext, signature or HMAC names, for decrypt and verify. @throws KernelError 400 */
export function consumingVersion(ring: Ring, version: number, what: string): number {
  if (version > ring.latest_version) throw invalid(`${what}: version is too new`)
  if (version < ring.min_decryption_version) throw invalid(`${what}: version is disallowed by min_decryption_version (too old)`)
  return requireUsable(ring, version)
}

/** Refuses versions below min_decryption_version, which cannot be used at all, not even for new ciphertexts. @throws KernelError 400 */
export function requireUsable(ring: Ring, version: number): number {
  checkUse(ring)
  if (version < ring.min_decryption_version || ring.versions[version] === undefined)
    throw notFound('key_version: no such key version', 400)
  return version
}

/** Returns the version that csr or set-certificate requests; `latest`, '' and undefined mean the latest. @throws KernelError 400 */
export function namedVersion(ring: Ring, text: string | undefined): number {
  if (text === undefined || text === '' || text === 'latest') return requireUsable(ring, ring.latest_version)
  if (!/^[+-]?\d{1,15}$/.test(text)) throw invalid('version: must be a version of the key or latest')
  return requireUsable(ring, Number(text))
}

/** Returns the versions to export: the requested version, or all usable versions. @throws KernelError 400 */
export function exportedVersions(ring: Ring, text: string | undefined): readonly number[] {
  if (text === undefined) return usableVersionNumbers(ring)
  if (text === 'latest') return [requireUsable(ring, ring.latest_version)]
  const digits = /^v?([+-]?\d{1,15})$/.exec(text)
  if (!digits) throw invalid('version: must be a version of the key, such as 2 or v2, or latest')
  return [requireUsable(ring, Number(digits[1]))]
}
