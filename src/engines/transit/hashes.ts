import { invalid } from '../../core/base/errors.ts'
import type { HashName } from '../../core/crypto/backend.ts'

const HASHES: readonly HashName[] = [
  'sha1',
  'sha2-224',
  'sha2-256',
  'sha2-384',
  'sha2-512',
  'sha3-224',
  'sha3-256',
  'sha3-384',
  'sha3-512',
]
const DEFAULT_HASH: HashName = 'sha2-256'

const isHash = (name: string): name is HashName => (HASHES as readonly string[]).includes(name)

/**
 * Returns the hash function for a signature. As in Vault, `algorithm`, the older name of `hash_algorithm`, is ignored here.
 * @throws KernelError 400
 */
export function signatureHash(name: string | undefined): HashName | 'none' {
  if (name === undefined || name === '') return DEFAULT_HASH
  if (name === 'none' || isHash(name)) return name
  throw invalid(`hash_algorithm: must be one of ${HASHES.join(', ')}, none`)
}

/** Returns the hash function for an HMAC. `algorithm` is the older name of `hash_algorithm`. @throws KernelError 400 */
export function hmacHash(hashAlgorithm: string | undefined, algorithm: string | undefined): HashName {
  const name = hashAlgorithm ?? algorithm ?? DEFAULT_HASH
  if (isHash(name)) return name
  throw invalid(`${hashAlgorithm === undefined ? 'algorithm' : 'hash_algorithm'}: must be one of ${HASHES.join(', ')}`)
}

/** Returns the hash function for the operation `hash`, which does not accept sha1. @throws KernelError 400 */
export function plainHash(name: string): HashName {
  if (isHash(name) && name !== 'sha1') return name
  throw invalid(`algorithm: must be one of ${HASHES.filter((known) => known !== 'sha1').join(', ')}`)
}
