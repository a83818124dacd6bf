/**
 * RSA private keys. Source: RFC 8017. Digests are padded here and signed with the platform's raw operation. OAEP is the only supported
 * padding for decryption.
 *
 * The methods `...Steps` return a generator if the implementation of RSA computes in slices, and otherwise the result.
 */
import { rsa as platformRsa } from '#platform/rsa'
import { invalid, KernelError } from '../../base/errors.ts'
import type { Steps } from '../../base/steps.ts'
import type { HashName, Wipeable } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'
import { NOBLE_HASHES } from '../noble/hash.ts'
import type { RsaArithmetic, RsaPrivateArithmetic, RsaScheme } from './arithmetic.ts'
import { encodePkcs1, type Pkcs1Hash } from './pkcs1.ts'
import { encodePss, maxPssSalt } from './pss.ts'
import { RsaPublicKey } from './public-key.ts'

interface SigningScheme extends RsaScheme {
  readonly salt: number | undefined
}

/** The digest that is signed to test a key. */
const TEST_DIGEST = /* @__PURE__ */ new Uint8Array(32).fill(1)

/** @throws KernelError 400 */
function checkSalt(modulusBits: number, hash: HashName, bytes: number): void {
  if (!(Number.isInteger(bytes) && bytes >= 0 && bytes <= maxPssSalt(modulusBits, hash)))
    throw invalid('salt_length: is out of range for this key and hash')
}

/**
 * Handles an error during the test of a key. Some implementations throw if the components do not match, so the key has failed the test. A
 * KernelError means instead that the platform lacks an operation, so it is thrown again.
 */
function onFailedTest(error: unknown): false {
  if (error instanceof KernelError) throw error
  return false
}

/** A private key. It is parsed once, because parsing takes as long as a signature. `wipe()` drops the platform's key object. */
export class RsaPrivateKey implements Wipeable {
  readonly publicKey: RsaPublicKey
  #key: RsaPrivateArithmetic | undefined

  private constructor(key: RsaPrivateArithmetic) {
    this.publicKey = new RsaPublicKey(key.publicKey)
    this.#key = key
  }

  /**
   * @param der PKCS#8. This function does not keep or change it; the caller wipes it.
   * @param rsa Default: that of the platform.
   * @throws KernelError 400 if it is not an RSA private key
   */
  static fromPkcs8(der: Uint8Array, rsa: RsaArithmetic = platformRsa): RsaPrivateKey {
    const key = rsa.openPrivate(der)
    if (!key) throw invalid('the key is not an RSA private key in PKCS#8 form')
    return new RsaPrivateKey(key)
  }

  /**
   * Whether the private and public components match. Signs a message and verifies the signature. Needed for imported keys, because neither
   * parsing nor signing detects a mismatch.
   */
  isConsistent(): boolean {
    this.#alive()
    try {
      return this.#verifiesTest(this.#raise(this.#testMessage()))
    } catch (error) {
      return onFailedTest(error)
    }
  }

  isConsistentSteps(): boolean | Steps<boolean> {
    const steps = this.#alive().raiseSteps?.(this.#testMessage())
    return steps ? this.#testInSteps(steps) : this.isConsistent()
  }

  /**
   * The key as PEM `RSA PRIVATE KEY` (PKCS#1), with LF line endings and a newline at the end. Use it only to export keys, because a string
   * cannot be wiped.
   */
  pkcs1Pem(): string {
    return this.#alive().pkcs1Pem()
  }

  /** Returns the plaintext, which the caller owns. Undefined after any failure: the caller must not learn which check failed. */
  decryptOaep(ciphertext: Uint8Array, hash: HashName = 'sha2-256'): Uint8Array | undefined {
    const key = this.#alive()
    return ciphertext.length === this.publicKey.modulusBytes ? key.decryptOaep(ciphertext, hash) : undefined
  }

  decryptOaepSteps(ciphertext: Uint8Array, hash: HashName = 'sha2-256'): Uint8Array | undefined | Steps<Uint8Array | undefined> {
    const key = this.#alive()
    if (ciphertext.length !== this.publicKey.modulusBytes) return undefined
    return key.decryptOaepSteps ? key.decryptOaepSteps(ciphertext, hash) : key.decryptOaep(ciphertext, hash)
  }

  /**
   * Signs a digest with RSASSA-PSS, using the same hash for MGF1. The salt has `saltBytes` bytes (0 to `maxPssSalt`) from `random`.
   * @throws KernelError 400 if the digest has the wrong length for its hash, or if the salt is too long
   */
  signPss(hash: HashName, digest: Uint8Array, saltBytes: number, random: (n: number) => Uint8Array): Uint8Array {
    return this.#raise(this.#pssMessage(hash, digest, saltBytes, random))
  }

  signPssSteps(
    hash: HashName,
    digest: Uint8Array,
    saltBytes: number,
    random: (n: number) => Uint8Array,
  ): Uint8Array | Steps<Uint8Array> {
    return this.#raiseSteps(this.#pssMessage(hash, digest, saltBytes, random))
  }

  /**
   * Signs a whole message with the platform, which chooses the salt. Undefined if the platform does not support this. In that case, hash
   * the message and call {@link signPss} or {@link signPkcs1}.
   * @throws KernelError 400 if the salt is too long
   */
  signMessage({ hash, salt }: SigningScheme, message: Uint8Array): Uint8Array | undefined {
    if (salt !== undefined) checkSalt(this.publicKey.modulusBits, hash, salt)
    return this.#alive().signMessage({ hash, salt }, message)
  }

  /**
   * Signs a digest with RSASSA-PKCS1-v1_5.
   * @throws KernelError 400 if the digest has the wrong length for its hash, or if the hash is `none` and the input is more than
   * `modulusBytes - 11` bytes long
   */
  signPkcs1(hash: Pkcs1Hash, digest: Uint8Array): Uint8Array {
    return this.#raise(this.#pkcs1Message(hash, digest))
  }

  signPkcs1Steps(hash: Pkcs1Hash, digest: Uint8Array): Uint8Array | Steps<Uint8Array> {
    return this.#raiseSteps(this.#pkcs1Message(hash, digest))
  }

  wipe(): void {
    this.#key = undefined
  }

  #pssMessage(hash: HashName, digest: Uint8Array, saltBytes: number, random: (n: number) => Uint8Array): Uint8Array {
    const { modulusBits, modulusBytes } = this.publicKey
    if (digest.length !== NOBLE_HASHES[hash].outputLen) throw invalid('input: must have the length of the hash')
    checkSalt(modulusBits, hash, saltBytes)
    const encoded = encodePss(hash, digest, saltBytes === 0 ? new Uint8Array(0) : random(saltBytes), modulusBits)
    const message = new Uint8Array(modulusBytes)
    message.set(encoded, modulusBytes - encoded.length)
    return message
  }

  #pkcs1Message(hash: Pkcs1Hash, digest: Uint8Array): Uint8Array {
    const message = encodePkcs1(hash, digest, this.publicKey.modulusBytes)
    if (message === undefined) throw invalid('input: must have the length of the hash and fit the key')
    return message
  }

  #raise(message: Uint8Array): Uint8Array {
    return this.#alive().raise(message)
  }

  #raiseSteps(message: Uint8Array): Uint8Array | Steps<Uint8Array> {
    const key = this.#alive()
    return key.raiseSteps ? key.raiseSteps(message) : key.raise(message)
  }

  #testMessage(): Uint8Array {
    return this.#pkcs1Message('sha2-256', TEST_DIGEST)
  }

  *#testInSteps(signing: Steps<Uint8Array>): Steps<boolean> {
    try {
      return this.#verifiesTest(yield* signing)
    } catch (error) {
      return onFailedTest(error)
    }
  }

  #verifiesTest(signature: Uint8Array): boolean {
    return this.publicKey.verifyPkcs1('sha2-256', TEST_DIGEST, signature)
  }

  #alive(): RsaPrivateArithmetic {
    if (this.#key === undefined) throw keyWipedError()
    return this.#key
  }
}
