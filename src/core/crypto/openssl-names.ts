/** The names that node:crypto uses for the hash functions. */
import type { HashName } from './backend.ts'

export const OPENSSL_NAMES: Readonly<Record<HashName, string>> = {
  sha1: 'sha1',
  'sha2-224': 'sha224',
  'sha2-256': 'sha256',
  'sha2-384': 'sha384',
  'sha2-512': 'sha512',
  'sha3-224': 'sha3-224',
  'sha3-256': 'sha3-256',
  'sha3-384': 'sha3-384',
  'sha3-512': 'sha3-512',
}
