/** EMSA-PKCS1-v1_5 for digests. Source: RFC 8017 sections 9.2 and A.2.4; for SHA-3 the encodings of OpenSSL and Go. */
import { texts } from '../../base/texts.ts'
import type { HashName } from '../backend.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'

/** The DER encoding before the digest: SEQUENCE { SEQUENCE { hash, NULL }, OCTET STRING header }. */
const DIGEST_INFO: Readonly<Record<HashName, string>> = {
  sha1: '3021300906052b0e03021a05000414',
  'sha2-224': '302d300d06096086480165030402040500041c',
  'sha2-256': '3031300d060960864801650304020105000420',
  'sha2-384': '3041300d060960864801650304020205000430',
  'sha2-512': '3051300d060960864801650304020305000440',
  'sha3-224': '302d300d06096086480165030402070500041c',
  'sha3-256': '3031300d060960864801650304020805000420',
  'sha3-384': '3041300d060960864801650304020905000430',
  'sha3-512': '3051300d060960864801650304020a05000440',
}

/** `none`: the input is signed unchanged, without a hash identifier. */
export type Pkcs1Hash = HashName | 'none'

/** The minimum padding: 0x00, 0x01, at least eight bytes 0xff, 0x00. */
const OVERHEAD = 11

/** The `length` bytes to be signed. Undefined if the digest has the wrong length for its hash, or does not fit. */
export function encodePkcs1(hash: Pkcs1Hash, digest: Uint8Array, length: number): Uint8Array | undefined {
  if (hash !== 'none' && digest.length !== NOBLE_HASHES[hash].outputLen) return undefined
  const info = hash === 'none' ? new Uint8Array(0) : texts.fromHex(DIGEST_INFO[hash])
  const n = info.length + digest.length
  if (n > length - OVERHEAD) return undefined
  const encoded = new Uint8Array(length).fill(0xff)
  encoded[0] = 0
  encoded[1] = 1
  encoded[length - n - 1] = 0
  encoded.set(info, length - n)
  encoded.set(digest, length - digest.length)
  return encoded
}
