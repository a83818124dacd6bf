/** The hash names of calls by path by the names in the Wycheproof files. */
export const HASH_NAMES: Readonly<Record<string, string>> = {
  'SHA-1': 'sha1',
  'SHA-224': 'sha2-224',
  'SHA-256': 'sha2-256',
  'SHA-384': 'sha2-384',
  'SHA-512': 'sha2-512',
  'SHA3-224': 'sha3-224',
  'SHA3-256': 'sha3-256',
  'SHA3-384': 'sha3-384',
  'SHA3-512': 'sha3-512',
}
