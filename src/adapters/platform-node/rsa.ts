/**
 * RSA by OpenSSL. Source: RFC 8017; OpenSSL blinds private operations and checks the CRT result.
 *
 * Node's unpadding of PKCS#1 v1.5 ciphertexts differs between runtimes (implicit rejection), so it is not used: the only decryption is
 * OAEP.
 */
import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  privateDecrypt,
  privateEncrypt,
  publicDecrypt,
  publicEncrypt,
  type SignKeyObjectInput,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import { KernelError } from '../../core/base/errors.ts'
import { OPENSSL_NAMES } from '../../core/crypto/openssl-names.ts'
import type { RsaArithmetic, RsaPrivateArithmetic, RsaPublicArithmetic, RsaScheme } from '../../core/crypto/rsa/arithmetic.ts'

const bare = (key: KeyObject) => ({ key, padding: constants.RSA_NO_PADDING })

function padded(key: KeyObject, { salt }: RsaScheme): SignKeyObjectInput {
  if (salt === undefined) return { key, padding: constants.RSA_PKCS1_PADDING }
  const saltLength = salt === 'any' ? constants.RSA_PSS_SALTLEN_AUTO : salt
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
}

/**
 * Reports a missing operation of the platform: Deno does not support unpadded RSA and throws a TypeError. If OpenSSL refuses an operation,
 * the error is not a TypeError.
 */
function mapFailure(error: unknown): void {
  if (error instanceof TypeError)
    throw new KernelError(
      'ERR_INVALID_REQUEST',
      'RSA: this platform has no RSA operation without padding, which signatures of digests need; sign the message itself, set the option rsa, or use Node',
    )
}

function publicHalf(key: KeyObject): RsaPublicArithmetic | undefined {
  const modulusBits = key.asymmetricKeyDetails?.modulusLength
  if (key.asymmetricKeyType !== 'rsa' || modulusBits === undefined) return undefined
  return {
    modulusBits,
    spki: () => Uint8Array.from(key.export({ type: 'spki', format: 'der' })),
    raise(message) {
      try {
        return publicDecrypt(bare(key), message)
      } catch (error) {
        mapFailure(error)
        return undefined
      }
    },
    verifyMessage: (scheme, message, signature) =>
      read(() => verify(OPENSSL_NAMES[scheme.hash], message, padded(key, scheme), signature)),
    encryptOaep(plaintext, hash) {
      const options = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: OPENSSL_NAMES[hash] }
      return Uint8Array.from(publicEncrypt(options, plaintext))
    },
  }
}

/** The key material is in OpenSSL's memory, which is freed with the key object. */
function privateHalf(key: KeyObject): RsaPrivateArithmetic | undefined {
  const publicKey = publicHalf(createPublicKey(key))
  if (!publicKey) return undefined
  return {
    publicKey,
    raise(message) {
      try {
        return Uint8Array.from(privateEncrypt(bare(key), message))
      } catch (error) {
        mapFailure(error)
        throw error
      }
    },
    signMessage: (scheme, message) => {
      const signature = read(() => sign(OPENSSL_NAMES[scheme.hash], message, padded(key, scheme)))
      return signature && Uint8Array.from(signature)
    },
    decryptOaep(ciphertext, hash) {
      try {
        const options = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: OPENSSL_NAMES[hash] }
        const plaintext = privateDecrypt(options, ciphertext)
        const taken = Uint8Array.from(plaintext)
        plaintext.fill(0)
        return taken
      } catch {
        return undefined
      }
    },
    pkcs1Pem: () => key.export({ type: 'pkcs1', format: 'pem' }).toString(),
  }
}

/** Returns a Buffer over the same bytes, because the types of node:crypto accept DER only in a Buffer. */
const lent = (der: Uint8Array): Buffer => Buffer.from(der.buffer, der.byteOffset, der.length)

/** Returns the result of `ask`, or undefined if OpenSSL throws. */
function read<T>(ask: () => T): T | undefined {
  try {
    return ask()
  } catch {
    return undefined
  }
}

const generate = promisify(generateKeyPair)

/** OpenSSL's own generator makes the primes, on a pool thread, in 0.1 to 2 seconds. The application cannot replace this generator. */
export const rsa: RsaArithmetic = {
  async generate(bits) {
    const { privateKey } = await generate('rsa', {
      modulusLength: bits,
      publicExponent: 0x10001,
      publicKeyEncoding: { type: 'spki', format: 'der' },
      privateKeyEncoding: { type: 'pkcs8', format: 'der' },
    })
    const der = Uint8Array.from(privateKey)
    privateKey.fill(0)
    return der
  },
  openPublic(spki) {
    const key = read(() => createPublicKey({ key: lent(spki), format: 'der', type: 'spki' }))
    return key && publicHalf(key)
  },
  openPrivate(pkcs8) {
    const key = read(() => createPrivateKey({ key: lent(pkcs8), format: 'der', type: 'pkcs8' }))
    return key && privateHalf(key)
  },
}
