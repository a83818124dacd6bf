/**
 * The private half of an RSA key. Source: RFC 8017; the arithmetic is OpenSSL's, which blinds it and checks the CRT result.
 *
 * node's unpadding of PKCS#1 v1.5 differs between runtimes (implicit rejection) and is not used: what is signed is padded here and goes
 * through the bare operation, and the only decryption is OAEP.
 */
import { constants, createPrivateKey, createPublicKey, type KeyObject, privateDecrypt, privateEncrypt } from 'node:crypto'
import { invalid } from '../../errors.ts'
import type { HashName, Wipeable } from '../backend.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'
import { OPENSSL_NAMES } from '../openssl-names.ts'
import { wiped } from '../wiped.ts'
import { encodePkcs1, type Pkcs1Hash } from './pkcs1.ts'
import { encodePss, maxPssSalt } from './pss.ts'
import { RsaPublicKey } from './public-key.ts'

/** Parsed once: a parse costs as much as a signature. The key lives in OpenSSL's memory; `wipe()` lets go of it, which frees it. */
export class RsaPrivateKey implements Wipeable {
  readonly publicKey: RsaPublicKey
  #key: KeyObject | undefined

  private constructor(key: KeyObject) {
    this.publicKey = new RsaPublicKey(createPublicKey(key))
    this.#key = key
  }

  /** `der`: PKCS#8, read and not kept; the caller wipes it. @throws KernelError (400) when it is no RSA private key. */
  static fromPkcs8(der: Uint8Array): RsaPrivateKey {
    let key: KeyObject
    try {
      key = createPrivateKey({ key: Buffer.from(der.buffer, der.byteOffset, der.length), format: 'der', type: 'pkcs8' })
    } catch {
      throw invalid('not a private key in PKCS#8 form')
    }
    return new RsaPrivateKey(key)
  }

  /**
   * Whether the private numbers belong to the public ones, by one signature and its verification. For imported keys: neither parsing
   * nor signing notices.
   */
  isConsistent(): boolean {
    const digest = new Uint8Array(32).fill(1)
    const message = encodePkcs1('sha2-256', digest, this.publicKey.modulusBytes)
    this.#alive()
    try {
      return message !== undefined && this.publicKey.verifyPkcs1('sha2-256', digest, this.#raised(message))
    } catch {
      // OpenSSL may notice by itself, and says so in its own way.
      return false
    }
  }

  /** PEM `RSA PRIVATE KEY` (PKCS#1): LF, a newline at the end. A string cannot be wiped; for export only. */
  pkcs1Pem(): string {
    return this.#alive().export({ type: 'pkcs1', format: 'pem' }).toString()
  }

  /** The plaintext, the caller's, or undefined whatever the reason: which check failed must stay unknown. */
  decryptOaep(ciphertext: Uint8Array, hash: HashName = 'sha2-256'): Uint8Array | undefined {
    const key = this.#alive()
    if (ciphertext.length !== this.publicKey.modulusBytes) return undefined
    try {
      const options = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: OPENSSL_NAMES[hash] }
      const plaintext = privateDecrypt(options, ciphertext)
      const taken = Uint8Array.from(plaintext)
      plaintext.fill(0)
      return taken
    } catch {
      return undefined
    }
  }

  /**
   * RSASSA-PSS over a digest, MGF1 with the same hash, with a salt of `saltBytes` (0 .. `maxPssSalt`) from `random`.
   * @throws KernelError (400) when the digest does not belong to the hash or the salt is too long.
   */
  signPss(hash: HashName, digest: Uint8Array, saltBytes: number, random: (n: number) => Uint8Array): Uint8Array {
    const { modulusBits, modulusBytes } = this.publicKey
    if (digest.length !== NOBLE_HASHES[hash].outputLen) throw invalid('the digest does not have the length of its hash')
    if (!(Number.isInteger(saltBytes) && saltBytes >= 0 && saltBytes <= maxPssSalt(modulusBits, hash))) {
      throw invalid('salt_length is out of range for this key and hash')
    }
    const encoded = encodePss(hash, digest, saltBytes === 0 ? new Uint8Array(0) : random(saltBytes), modulusBits)
    const message = new Uint8Array(modulusBytes)
    message.set(encoded, modulusBytes - encoded.length)
    return this.#raised(message)
  }

  /**
   * RSASSA-PKCS1-v1_5 over a digest.
   * @throws KernelError (400) when the digest does not belong to the hash or (hash `none`) is longer than the modulus less 11 bytes.
   */
  signPkcs1(hash: Pkcs1Hash, digest: Uint8Array): Uint8Array {
    const message = encodePkcs1(hash, digest, this.publicKey.modulusBytes)
    if (message === undefined) throw invalid('the digest does not have the length of its hash, or is too long for this key')
    return this.#raised(message)
  }

  wipe(): void {
    this.#key = undefined
  }

  #raised(message: Uint8Array): Uint8Array {
    return Uint8Array.from(privateEncrypt({ key: this.#alive(), padding: constants.RSA_NO_PADDING }, message))
  }

  #alive(): KeyObject {
    if (this.#key === undefined) throw wiped()
    return this.#key
  }
}
