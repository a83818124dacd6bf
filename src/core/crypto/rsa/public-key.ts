/** RSA public keys. Source: RFC 8017. */
import { rsa as platformRsa } from '#platform/rsa'
import { invalid } from '../../base/errors.ts'
import type { HashName } from '../backend.ts'
import { equalBytes } from '../equal.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'
import { decodePem, encodePem } from '../pem.ts'
import type { RsaArithmetic, RsaPublicArithmetic, RsaScheme } from './arithmetic.ts'
import { encodePkcs1, type Pkcs1Hash } from './pkcs1.ts'
import { verifyPss } from './pss.ts'

/** A public key. It is parsed once and kept as long as its key version is cached. */
export class RsaPublicKey {
  readonly modulusBits: number
  /** The length of every ciphertext and signature in bytes. */
  readonly modulusBytes: number
  readonly #key: RsaPublicArithmetic

  /** Only for `RsaPrivateKey`. Other code uses {@link fromSpki}. */
  constructor(key: RsaPublicArithmetic) {
    this.#key = key
    this.modulusBits = key.modulusBits
    this.modulusBytes = Math.ceil(key.modulusBits / 8)
  }

  /**
   * @param spki DER bytes, or PEM `PUBLIC KEY`. The bytes are neither kept nor changed.
   * @param rsa Default: that of the platform.
   * @throws KernelError 400 if it is not an RSA public key
   */
  static fromSpki(spki: Uint8Array | string, rsa: RsaArithmetic = platformRsa): RsaPublicKey {
    const der = typeof spki === 'string' ? decodePem('PUBLIC KEY', spki) : spki
    const key = rsa.openPublic(der)
    if (!key) throw invalid('the key is not an RSA public key in SPKI form')
    return new RsaPublicKey(key)
  }

  spkiDer(): Uint8Array {
    return this.#key.spki()
  }

  /** The key as PEM: lines of 64 characters that end in LF, including the last line. */
  spkiPem(): string {
    return encodePem('PUBLIC KEY', this.spkiDer())
  }

  /**
   * The maximum length of a plaintext for OAEP with this hash. With SHA-256: 190, 318 and 446 bytes for keys of 2048, 3072 and 4096 bits.
   */
  maxOaepBytes(hash: HashName = 'sha2-256'): number {
    return this.modulusBytes - 2 * NOBLE_HASHES[hash].outputLen - 2
  }

  /** Encrypts with RSAES-OAEP, using the same hash for MGF1 and an empty label. @throws KernelError 400 if the plaintext is too long */
  encryptOaep(plaintext: Uint8Array, hash: HashName = 'sha2-256'): Uint8Array {
    if (plaintext.length > this.maxOaepBytes(hash)) throw invalid('plaintext: is too long for this RSA key')
    return this.#key.encryptOaep(plaintext, hash)
  }

  /**
   * Verifies an RSASSA-PSS signature of a digest, using the same hash for MGF1. Never throws. @param saltBytes The required length of the
   * salt, or `any`.
   */
  verifyPss(hash: HashName, digest: Uint8Array, signature: Uint8Array, saltBytes: number | 'any'): boolean {
    const message = this.#raise(signature)
    if (message === undefined) return false
    // If the modulus has 8n + 1 bits, the encoding is one byte shorter than the modulus. The first byte must then be zero.
    const start = this.modulusBytes - Math.ceil((this.modulusBits - 1) / 8)
    if (start > 0 && message[0] !== 0) return false
    return verifyPss(hash, digest, message.subarray(start), saltBytes, this.modulusBits)
  }

  /**
   * Verifies the signature of a whole message with the platform. Never throws. Undefined if the platform does not support this. In that
   * case, hash the message and call {@link verifyPss} or {@link verifyPkcs1}.
   */
  verifyMessage(scheme: RsaScheme, message: Uint8Array, signature: Uint8Array): boolean | undefined {
    if (signature.length !== this.modulusBytes) return false
    return this.#key.verifyMessage(scheme, message, signature)
  }

  /** Verifies an RSASSA-PKCS1-v1_5 signature of a digest. Computes the expected encoding and compares it; parses nothing. Never throws. */
  verifyPkcs1(hash: Pkcs1Hash, digest: Uint8Array, signature: Uint8Array): boolean {
    const expected = encodePkcs1(hash, digest, this.modulusBytes)
    const message = this.#raise(signature)
    return expected !== undefined && message !== undefined && equalBytes(message, expected)
  }

  /** Computes signature ^ e mod n. Undefined if the signature is not as long as n, or is not less than n. */
  #raise(signature: Uint8Array): Uint8Array | undefined {
    return signature.length === this.modulusBytes ? this.#key.raise(signature) : undefined
  }
}
