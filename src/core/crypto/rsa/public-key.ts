/**
 * The public half of an RSA key. Source: RFC 8017.
 */
import { rsa } from '#platform/rsa'
import { invalid } from '../../base/errors.ts'
import type { HashName } from '../backend.ts'
import { equalBytes } from '../equal.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'
import { decodePem, encodePem } from '../pem.ts'
import type { RsaPublicArithmetic, RsaScheme } from './arithmetic.ts'
import { encodePkcs1, type Pkcs1Hash } from './pkcs1.ts'
import { verifyPss } from './pss.ts'

/** Parsed once, used for the life of a key version. */
export class RsaPublicKey {
  readonly modulusBits: number
  /** Length of every ciphertext and signature. */
  readonly modulusBytes: number
  readonly #key: RsaPublicArithmetic

  /** For `RsaPrivateKey`; everybody else has SPKI. */
  constructor(key: RsaPublicArithmetic) {
    this.#key = key
    this.modulusBits = key.modulusBits
    this.modulusBytes = Math.ceil(key.modulusBits / 8)
  }

  /** `spki`: DER bytes or PEM `PUBLIC KEY` text, read and not kept. @throws KernelError (400) when it is no RSA public key. */
  static fromSpki(spki: Uint8Array | string): RsaPublicKey {
    const der = typeof spki === 'string' ? decodePem('PUBLIC KEY', spki) : spki
    const key = rsa.openPublic(der)
    if (!key) throw invalid('not an RSA public key in SPKI form')
    return new RsaPublicKey(key)
  }

  spkiDer(): Uint8Array {
    return this.#key.spki()
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
    return this.#key.encryptOaep(plaintext, hash)
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

  /**
   * {@link verifyPss} and {@link verifyPkcs1} of a whole message by the platform; undefined where it cannot, and the message has to be
   * hashed first. Never throws.
   */
  verifyMessage(scheme: RsaScheme, message: Uint8Array, signature: Uint8Array): boolean | undefined {
    if (signature.length !== this.modulusBytes) return false
    return this.#key.verifyMessage(scheme, message, signature)
  }

  /** RSASSA-PKCS1-v1_5 over a digest: the expected encoding is built and compared, nothing is parsed. Never throws. */
  verifyPkcs1(hash: Pkcs1Hash, digest: Uint8Array, signature: Uint8Array): boolean {
    const expected = encodePkcs1(hash, digest, this.modulusBytes)
    const message = this.#raised(signature)
    return expected !== undefined && message !== undefined && equalBytes(message, expected)
  }

  /** signature ^ e mod n, or undefined when the signature has another length than n or is not below it. */
  #raised(signature: Uint8Array): Uint8Array | undefined {
    return signature.length === this.modulusBytes ? this.#key.raise(signature) : undefined
  }
}
