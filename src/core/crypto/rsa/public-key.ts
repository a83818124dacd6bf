/**
 * The public half of an RSA key. Source: RFC 8017; the arithmetic is OpenSSL's.
 */
import { constants, createPublicKey, type KeyObject, publicDecrypt, publicEncrypt } from 'node:crypto'
import { invalid } from '../../errors.ts'
import type { HashName } from '../backend.ts'
import { equalBytes } from '../equal.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'
import { OPENSSL_NAMES } from '../openssl-names.ts'
import { decodePem, encodePem } from '../pem.ts'
import { encodePkcs1, type Pkcs1Hash } from './pkcs1.ts'
import { verifyPss } from './pss.ts'

/** Parsed once, used for the life of a key version. */
export class RsaPublicKey {
  readonly modulusBits: number
  /** Length of every ciphertext and signature. */
  readonly modulusBytes: number
  readonly #key: KeyObject

  /** For `RsaPrivateKey`; everybody else has SPKI. @throws KernelError (400) when it is not a plain RSA key. */
  constructor(key: KeyObject) {
    const bits = key.asymmetricKeyDetails?.modulusLength
    if (key.asymmetricKeyType !== 'rsa' || bits === undefined) throw invalid('not an RSA key')
    this.#key = key
    this.modulusBits = bits
    this.modulusBytes = Math.ceil(bits / 8)
  }

  /** `spki`: DER bytes or PEM `PUBLIC KEY` text, read and not kept. @throws KernelError (400) when it is no RSA public key. */
  static fromSpki(spki: Uint8Array | string): RsaPublicKey {
    const der = typeof spki === 'string' ? decodePem('PUBLIC KEY', spki) : spki
    return new RsaPublicKey(parsed(der))
  }

  spkiDer(): Uint8Array {
    return Uint8Array.from(this.#key.export({ type: 'spki', format: 'der' }))
  }

  /** LF, 64 columns, a newline at the end. */
  spkiPem(): string {
    return encodePem('PUBLIC KEY', this.spkiDer())
  }

  /** The longest plaintext for OAEP with this hash: 190, 318 and 446 bytes with SHA-256. */
  maxOaepBytes(hash: HashName = 'sha2-256'): number {
    return this.modulusBytes - 2 * NOBLE_HASHES[hash].outputLen - 2
  }

  /** RSAES-OAEP, MGF1 with the same hash, empty label. @throws KernelError (400) when the plaintext is too long. */
  encryptOaep(plaintext: Uint8Array, hash: HashName = 'sha2-256'): Uint8Array {
    if (plaintext.length > this.maxOaepBytes(hash)) throw invalid('the plaintext is too long for this RSA key')
    const options = { key: this.#key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: OPENSSL_NAMES[hash] }
    return Uint8Array.from(publicEncrypt(options, plaintext))
  }

  /** RSASSA-PSS over a digest, MGF1 with the same hash. `saltBytes`: the exact length, or `any`. Never throws. */
  verifyPss(hash: HashName, digest: Uint8Array, signature: Uint8Array, saltBytes: number | 'any'): boolean {
    const message = this.#raised(signature)
    if (message === undefined) return false
    // With a modulus of 8n + 1 bits the encoding is a byte shorter than the modulus, and the byte before it must be zero.
    const start = this.modulusBytes - Math.ceil((this.modulusBits - 1) / 8)
    if (start > 0 && message[0] !== 0) return false
    return verifyPss(hash, digest, message.subarray(start), saltBytes, this.modulusBits)
  }

  /** RSASSA-PKCS1-v1_5 over a digest: the expected encoding is built and compared, nothing is parsed. Never throws. */
  verifyPkcs1(hash: Pkcs1Hash, digest: Uint8Array, signature: Uint8Array): boolean {
    const expected = encodePkcs1(hash, digest, this.modulusBytes)
    const message = this.#raised(signature)
    return expected !== undefined && message !== undefined && equalBytes(message, expected)
  }

  /** signature ^ e mod n, or undefined when the signature has another length than n or is not below it. */
  #raised(signature: Uint8Array): Uint8Array | undefined {
    if (signature.length !== this.modulusBytes) return undefined
    try {
      return publicDecrypt({ key: this.#key, padding: constants.RSA_NO_PADDING }, signature)
    } catch {
      return undefined
    }
  }
}

function parsed(der: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(der.buffer, der.byteOffset, der.length), format: 'der', type: 'spki' })
  } catch {
    throw invalid('not a public key in SPKI form')
  }
}
