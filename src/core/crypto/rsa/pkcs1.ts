/**
 * EMSA-PKCS1-v1_5 over ready-made digests. Source: RFC 8017 sections 9.2 and A.2.4; SHA-3 as OpenSSL and Go write it.
 */
import { texts } from '../../base/texts.ts'
import type { HashName } from '../backend.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'

/** SEQUENCE { SEQUENCE { hash, NULL }, OCTET STRING header }: what stands before the digest. */
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

/** `none`: the given bytes are signed as they are, without saying which hash they come from. */
export type Pkcs1Hash = HashName | 'none'

/** 0x00 0x01, at least eight 0xff, 0x00. */
const OVERHEAD = 11

/** The `length` bytes to be signed, or undefined when the digest does not belong to the hash or does not fit. */
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
