/**
 * The private half of an RSA key. Source: RFC 8017. What is signed is padded here and goes through the bare operation; the only decryption
 * is OAEP.
 */
import { rsa } from '#platform/rsa'
import { invalid } from '../../base/errors.ts'
import type { HashName, Wipeable } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'
import type { RsaPrivateArithmetic, RsaScheme } from './arithmetic.ts'
import { encodePkcs1, type Pkcs1Hash } from './pkcs1.ts'
import { encodePss, maxPssSalt } from './pss.ts'
import { RsaPublicKey } from './public-key.ts'

interface SigningScheme extends RsaScheme {
  readonly salt: number | undefined
}

/** @throws KernelError (400) */
function checkSalt(modulusBits: number, hash: HashName, bytes: number): void {
  if (!(Number.isInteger(bytes) && bytes >= 0 && bytes <= maxPssSalt(modulusBits, hash)))
    throw invalid('salt_length is out of range for this key and hash')
}

/** Parsed once: a parse costs as much as a signature. `wipe()` lets go of the platform's key. */
export class RsaPrivateKey implements Wipeable {
  readonly publicKey: RsaPublicKey
  #key: RsaPrivateArithmetic | undefined

  private constructor(key: RsaPrivateArithmetic) {
    this.publicKey = new RsaPublicKey(key.publicKey)
    this.#key = key
  }

  /** `der`: PKCS#8, read and not kept; the caller wipes it. @throws KernelError (400) when it is no RSA private key. */
  static fromPkcs8(der: Uint8Array): RsaPrivateKey {
    const key = rsa.openPrivate(der)
    if (!key) throw invalid('not an RSA private key in PKCS#8 form')
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
      // The platform may notice by itself, and says so in its own way.
      return false
    }
  }

  /** PEM `RSA PRIVATE KEY` (PKCS#1): LF, a newline at the end. A string cannot be wiped; for export only. */
  pkcs1Pem(): string {
    return this.#alive().pkcs1Pem()
  }

  /** The plaintext, the caller's, or undefined whatever the reason: which check failed must stay unknown. */
  decryptOaep(ciphertext: Uint8Array, hash: HashName = 'sha2-256'): Uint8Array | undefined {
    const key = this.#alive()
    return ciphertext.length === this.publicKey.modulusBytes ? key.decryptOaep(ciphertext, hash) : undefined
  }

  /**
   * RSASSA-PSS over a digest, MGF1 with the same hash, with a salt of `saltBytes` (0 .. `maxPssSalt`) from `random`.
   * @throws KernelError (400) when the digest does not belong to the hash or the salt is too long.
   */
  signPss(hash: HashName, digest: Uint8Array, saltBytes: number, random: (n: number) => Uint8Array): Uint8Array {
    const { modulusBits, modulusBytes } = this.publicKey
    if (digest.length !== NOBLE_HASHES[hash].outputLen) throw invalid('the digest does not have the length of its hash')
    checkSalt(modulusBits, hash, saltBytes)
    const encoded = encodePss(hash, digest, saltBytes === 0 ? new Uint8Array(0) : random(saltBytes), modulusBits)
    const message = new Uint8Array(modulusBytes)
    message.set(encoded, modulusBytes - encoded.length)
    return this.#raised(message)
  }

  /**
   * {@link signPss} and {@link signPkcs1} of a whole message by the platform, with salt of its own; undefined where it cannot, and the
   * message has to be hashed first. @throws KernelError (400) when the salt is too long.
   */
  signMessage({ hash, salt }: SigningScheme, message: Uint8Array): Uint8Array | undefined {
    if (salt !== undefined) checkSalt(this.publicKey.modulusBits, hash, salt)
    return this.#alive().signMessage({ hash, salt }, message)
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
    return this.#alive().raise(message)
  }

  #alive(): RsaPrivateArithmetic {
    if (this.#key === undefined) throw keyWipedError()
    return this.#key
  }
}
