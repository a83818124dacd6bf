/**
 * The `Pgp` port over OpenPGP.js, an optional peer that is loaded at first use. Room: adapters/pgp-openpgp.
 */
import { KernelError } from '../../core/errors.ts'
import type { Pgp } from '../../core/ports.ts'
import { type Library, loadLibrary, type PgpKey } from './library.ts'

/**
 * Encrypts to one recipient in the form of the originals, which every OpenPGP program reads: to the encryption subkey, unsigned, not
 * compressed, integrity protection of version 1, a literal packet of text without name and date, no armour (RFC 4880).
 *
 * Keys are public ones in base64 of the binary form, as `gpg --export KEY | base64` writes them; of several the first counts. Refused (400)
 * are those that cannot be read, private ones, those that cannot encrypt, have expired or were revoked, and RSA below 2,047 bits.
 * @throws TypeError (from its methods) when the package `openpgp`, version 6, is not installed.
 */
export function openpgp(): Pgp {
  return {
    async encrypt(bytes, publicKey, at) {
      const library = await loadLibrary()
      const key = await readKey(library, publicKey)
      try {
        return await encryptTo(library, key, bytes, at === undefined ? new Date() : new Date(at))
      } catch (error) {
        throw refused(error)
      }
    },
    async fingerprint(publicKey) {
      return (await readKey(await loadLibrary(), publicKey)).getFingerprint()
    },
  }
}

async function readKey(library: Library, text: string): Promise<PgpKey> {
  const joined = text.replaceAll(/[\r\n]+/g, '')
  const binary = Buffer.from(joined, 'base64')
  if (binary.toString('base64') !== joined)
    throw new KernelError('ERR_INVALID_REQUEST', 'error decoding given PGP key: it must be base64 of the binary key')
  let key: PgpKey | undefined
  try {
    ;[key] = await library.readKeys({ binaryKeys: new Uint8Array(binary) })
  } catch (error) {
    throw refused(error)
  }
  if (!key || key.isPrivate()) throw refused(key ? new Error('it is a private key') : undefined)
  return key
}

async function encryptTo(library: Library, key: PgpKey, bytes: Uint8Array, date: Date): Promise<Uint8Array> {
  const config = { preferredCompressionAlgorithm: library.enums.compression.uncompressed }
  const recipient = { encryptionKeys: key, date, config }
  // Of a key that knows the newer integrity protection the library would make use, but for a session key that does not say so.
  const { data, algorithm } = await library.generateSessionKey(recipient)
  const sessionKey = { data, algorithm }
  try {
    const message = await library.createMessage({ binary: bytes, format: 'utf8', filename: '', date: new Date(0) })
    return await library.encrypt({ ...recipient, message, sessionKey, format: 'binary' })
  } finally {
    data.fill(0)
  }
}

/** The library speaks of the key only, and whoever gave it can do something about that. */
const refused = (cause: unknown): KernelError =>
  new KernelError(
    'ERR_INVALID_REQUEST',
    `error parsing given PGP key: ${cause instanceof Error ? cause.message : 'there is none'}`,
    {
      cause,
    },
  )
