import { decodeBase64, encodeBase64 } from '../../../core/base/base64.ts'
import { invalid } from '../../../core/base/errors.ts'
import { ed25519Pkcs8, ed25519Spki, readEd25519Pkcs8, readEd25519Spki } from '../../../core/crypto/asn1/ed25519-keys.ts'
import type { CryptoBackend } from '../../../core/crypto/backend.ts'
import { CURVE_25519 } from '../../../core/crypto/curves/curve-code.ts'
import { equalBytes } from '../../../core/crypto/equal.ts'
import { encodePem } from '../../../core/crypto/pem.ts'
import {
  BACKUP_PARAMETER,
  derText,
  type IncomingKey,
  type KeyCodec,
  PUBLIC_KEY_PARAMETER,
  WRAPPED_PARAMETER,
} from './key-codec.ts'

const SEED_BYTES = 32
const KEY_BYTES = 64

/** The stored form: the seed, then the public key. */
export function ed25519Key(crypto: CryptoBackend, seed: Uint8Array): IncomingKey {
  const signing = crypto.ed25519Sign(seed)
  const key = new Uint8Array(KEY_BYTES)
  key.set(seed)
  key.set(signing.publicKey, SEED_BYTES)
  signing.wipe()
  return { key, publicKey: encodeBase64(key.subarray(SEED_BYTES)), publicOnly: false }
}

/** @throws KernelError 400 for bytes that are not the canonical encoding of a point, and for a point of small order */
function publicOnly(bytes: Uint8Array, what: string): IncomingKey {
  CURVE_25519.code.assertEd25519PublicKey(bytes, what)
  return { key: bytes.slice(), publicKey: encodeBase64(bytes), publicOnly: true }
}

export const ed25519Codec: KeyCodec = {
  // Vault uses the 32 bytes of the KDF in counter mode as an Ed25519 private key, which needs 64 bytes, so such a key can never sign. Here
  // derived Ed25519 keys always use HKDF.
  counterMode: false,
  fromWrapped: (crypto, bytes) => {
    const { seed, publicKey } = readEd25519Pkcs8(bytes, WRAPPED_PARAMETER)
    const made = ed25519Key(crypto, seed)
    seed.fill(0)
    if (publicKey === undefined || equalBytes(publicKey, made.key.subarray(SEED_BYTES))) return made
    made.key.fill(0)
    throw invalid(`${WRAPPED_PARAMETER}: the public half of the Ed25519 key does not match the private half`)
  },
  toWrapped: (_crypto, key) => ed25519Pkcs8(key.subarray(0, SEED_BYTES)),
  toText: (_crypto, key, format) => {
    if (format === '' || format === 'raw') return encodeBase64(key)
    const der = ed25519Pkcs8(key.subarray(0, SEED_BYTES))
    const text = derText(der, format, (bytes) => encodePem('PRIVATE KEY', bytes).trimEnd())
    der.fill(0)
    return text
  },
  fromArchive: (crypto, { key, public_key }) => {
    if (!key) {
      const bytes = decodeBase64(public_key, BACKUP_PARAMETER)
      if (bytes.length !== SEED_BYTES) throw invalid(`${BACKUP_PARAMETER}: an ed25519 public key must have ${SEED_BYTES} bytes`)
      return publicOnly(bytes, BACKUP_PARAMETER)
    }
    if (key.length !== KEY_BYTES)
      throw invalid(`${BACKUP_PARAMETER}: an ed25519 key must have ${KEY_BYTES} bytes, not ${key.length}`)
    const made = ed25519Key(crypto, key.subarray(0, SEED_BYTES))
    if (equalBytes(made.key, key)) return made
    made.key.fill(0)
    throw invalid(`${BACKUP_PARAMETER}: the public half of the ed25519 key does not match the private half`)
  },
  toArchive: (_crypto, key, isPublic, public_key) => (isPublic ? { public_key } : { key: key.slice(), public_key }),
  publicKey: {
    fromSpki: (_crypto, der) => publicOnly(readEd25519Spki(der, PUBLIC_KEY_PARAMETER), PUBLIC_KEY_PARAMETER),
    toText: (publicKey, format) => {
      if (format === '' || format === 'raw') return publicKey
      const der = ed25519Spki(decodeBase64(publicKey, PUBLIC_KEY_PARAMETER))
      return derText(der, format, (bytes) => encodePem('PUBLIC KEY', bytes).trimEnd())
    },
  },
}
