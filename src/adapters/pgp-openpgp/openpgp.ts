/**
 * The `Pgp` port over OpenPGP.js, an optional peer that is loaded at first use.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { KernelError } from '../../core/base/errors.ts'
import type { Pgp } from '../../core/contract/ports.ts'
import { type Library, loadLibrary, type PgpKey } from './library.ts'
import { type MinimalKey, minimalKey } from './minimal-key.ts'

/**
 * Encrypts to one recipient in Vault's format, which every OpenPGP program reads: to the encryption subkey, unsigned, not compressed,
 * integrity protection of version 1, a literal packet of text without name and date, no armor (RFC 4880).
 *
 * Keys are public keys in base64 of the binary form, as `gpg --export KEY | base64` writes them; if there are several, the first counts.
 * Refused (400) are unreadable and private keys, keys that cannot encrypt, have expired or were revoked, RSA below 2,047 and above 8,192
 * bits, DSA and ElGamal, and curves other than P-256, P-384, P-521, Curve25519, Ed25519 and those of X448 and Ed448. A key is parsed and
 * reduced to the parts that encryption needs before the library sees it, so that a maliciously costly key costs no more than any other.
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
  // Verifies its signatures once; with large curves this step alone takes a while and blocks the event loop.
  await key.getEncryptionKey(undefined, date)
  await turn()
  // For a key that supports the newer integrity protection the library would use that, unless the session key specifies the cipher.
  const { data, algorithm } = await library.generateSessionKey(recipient)
  const sessionKey = { data, algorithm }
  try {
    const message = await library.createMessage({ binary: bytes, format: 'utf8', filename: '', date: new Date(0) })
    return await library.encrypt({ ...recipient, message, sessionKey, format: 'binary' })
  } finally {
    data.fill(0)
  }
}

/** The library's error concerns only the key, and the key's owner can act on it. */
const refused = (cause: unknown): KernelError =>
  new KernelError(
    'ERR_INVALID_REQUEST',
    `error parsing given PGP key: ${cause instanceof Error ? cause.message : 'unreadable'}`,
    {
      cause,
    },
  )
