import type { HashName } from '../../../src/core/crypto/backend.ts'

/** Hash names of this library and of OpenSSL. */
export const HASHES = [
  ['sha1', 'sha1'],
  ['sha2-224', 'sha224'],
  ['sha2-256', 'sha256'],
  ['sha2-384', 'sha384'],
  ['sha2-512', 'sha512'],
  ['sha3-224', 'sha3-224'],
  ['sha3-256', 'sha3-256'],
  ['sha3-384', 'sha3-384'],
  ['sha3-512', 'sha3-512'],
] as const satisfies readonly (readonly [HashName, string])[]

/** By Wycheproof's names. */
export const WYCHEPROOF_HASHES: Readonly<Record<string, HashName>> = {
  'SHA-1': 'sha1',
  'SHA-224': 'sha2-224',
  'SHA-256': 'sha2-256',
  'SHA-384': 'sha2-384',
  'SHA-512': 'sha2-512',
  'SHA3-256': 'sha3-256',
  'SHA3-512': 'sha3-512',
}
