/**
 * The `Pgp` port over OpenPGP.js, an optional peer dependency that is loaded when it is first used.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { KernelError } from '../../core/base/errors.ts'
import type { Pgp } from '../../core/contract/ports.ts'
import { type Library, loadLibrary, type PgpKey } from './library.ts'
import { type MinimalKey, minimalKey } from './minimal-key.ts'

/**
 * Returns the `Pgp` port. It encrypts in Vault's format, which every OpenPGP program can read (RFC 4880): to the encryption subkey of one
 * recipient, without signature, compression or armor, with integrity protection version 1, and with a literal text packet that has no name
 * and no date.
 *
 * A key is the base64 of a public key in binary form, as `gpg --export KEY | base64` writes it. If there are several keys, the first is
 * used. These keys are refused with 400:
 *
 * - unreadable keys and private keys;
 * - keys that cannot encrypt, have expired or were revoked;
 * - RSA keys below 2,047 or above 8,192 bits, DSA and ElGamal keys;
 * - curves other than P-256, P-384, P-521, Curve25519, Ed25519 and those of X448 and Ed448.
 *
 * Before the library sees a key, the key is parsed and reduced to the parts that encryption needs. So a key that was made to be costly
 * takes no more time than any other key.
 * @throws TypeError (from `encrypt`) if the package `openpgp`, version 6, is not installed.
 */
export function openpgp(): Pgp {
  return {
    async encrypt(bytes, publicKey, at) {
      const library = await loadLibrary()
      const { bytes: binaryKey } = read(publicKey)
      try {
        const key = await library.readKey({ binaryKey })
        return await encryptTo(library, key, bytes, at === undefined ? new Date() : new Date(at))
      } catch (error) {
        throw refused(error)
      }
    },
    async fingerprint(publicKey) {
      return read(publicKey).fingerprint
    },
  }
}

function read(text: string): MinimalKey {
  const joined = text.replaceAll(/[\r\n]+/g, '')
  const binary = Buffer.from(joined, 'base64')
  if (binary.toString('base64') !== joined)
    throw new KernelError('ERR_INVALID_REQUEST', 'error decoding given PGP key: it must be base64 of the binary key')
  try {
    return minimalKey(binary)
  } catch (error) {
    throw refused(error)
  }
}

async function encryptTo(library: Library, key: PgpKey, bytes: Uint8Array, date: Date): Promise<Uint8Array> {
  const config = { preferredCompressionAlgorithm: library.enums.compression.uncompressed }
  const recipient = { encryptionKeys: key, date, config }
  // Verifies the key's signatures, which happens only once. With large curves, this step alone blocks the event loop for a while, so pause
  // after it.
  await key.getEncryptionKey(undefined, date)
  await turn()
  // If the key supports the newer integrity protection, the library would use it. A session key that specifies the cipher prevents that.
  const { data, algorithm } = await library.generateSessionKey(recipient)
  const sessionKey = { data, algorithm }
  try {
    const message = await library.createMessage({ binary: bytes, format: 'utf8', filename: '', date: new Date(0) })
    return await library.encrypt({ ...recipient, message, sessionKey, format: 'binary' })
  } finally {
    data.fill(0)
  }
}

/** The error for a refused key. It contains the library's message, which concerns only the key, so that the key's owner can act on it. */
const refused = (cause: unknown): KernelError =>
  new KernelError(
    'ERR_INVALID_REQUEST',
    `error parsing given PGP key: ${cause instanceof Error ? cause.message : 'unreadable'}`,
    {
      cause,
    },
  )
