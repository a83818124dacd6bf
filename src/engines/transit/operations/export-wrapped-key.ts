import { encodeBase64 } from '../../../core/base/base64.ts'
import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import { wrapForRsa } from '../../../core/crypto/key-wrap-rsa.ts'
import type { RsaPublicKey } from '../../../core/crypto/rsa/index.ts'
import { f } from '../../../core/field/fields.ts'
import type { OaepHash } from '../incoming.ts'
import { oaepHash } from '../incoming.ts'
import { transferMicroseconds } from '../key-types/index.ts'
import { eachVersion, KEY_TYPE } from '../key-view.ts'
import { checkUse, RING } from '../ring.ts'
import { RingKeys } from '../ring-keys.ts'
import { exportedVersions, producingVersion } from '../versions.ts'
import { checkExportable } from './export-key.ts'

const EPHEMERAL_BYTES = 32
/** Estimated time in microseconds to encrypt for an RSA key of any size and to wrap a key as large as an RSA key with AES. */
const WRAP_MICROSECONDS = 500

/**
 * @throws KernelError 400 if the source is not exportable, if the source is soft-deleted, if `version` does not exist or is below the
 *   `min_decryption_version` of the source, or if the destination is not an RSA key.
 * @throws KernelError 404 if the source or the destination does not exist.
 */
export const exportWrappedKey = operation({
  kind: 'read',
  verb: 'GET',
  path: '/byok-export/:destination/:source(/:version)',
  summary:
    'Exports a key wrapped for an RSA key. If the RSA key is the wrapping key of another service, imported here, then that service can import the result.',
  fields: {
    destination: f.name('The RSA key to wrap for; its public key is sufficient.'),
    source: f.name('The key to export; it must be exportable.'),
    version: f
      .wordOrInt<'latest'>('A version of the source, or latest. The default is all versions that may be used.')
      .ignoring('number form')
      .optional(),
    hash: f
      .word<OaepHash>('The hash of RSA-OAEP and its MGF1: SHA1, SHA224, SHA256 (default), SHA384, SHA512.')
      .default('SHA256'),
  },
  returns: {
    name: f.text('The name of the exported key.'),
    type: KEY_TYPE,
    keys: f.json<Readonly<Record<string, string>>>(
      'The wrapped keys by version: base64 of the wrapped AES key, followed by the key wrapped with it.',
    ),
  },
  run: (tx, { destination, source, version: requested, hash: hashName }) => {
    const hash = oaepHash(hashName, 'hash')
    const [to, ring] = [tx.get(RING, destination), tx.get(RING, source)]
    if (!to || !ring) return undefined
    checkExportable(ring)
    checkUse(ring)
    const recipient = recipientOf(new RingKeys(tx, to))
    const keys = new RingKeys(tx, ring)
    const versions = exportedVersions(ring, requested)
    keys.load(versions)
    const show = (version: number) => wrap(keys, version, recipient, hash)
    const wrapped = tx.steps(
      'wrapped',
      () => eachVersion(versions, show, WRAP_MICROSECONDS + transferMicroseconds(tx.env, ring.type)),
      'attempt',
    )
    return { name: source, type: ring.type, keys: Object.fromEntries(wrapped) }
  },
})

/** Returns the public key of the latest version of the destination. @throws KernelError 400 if keys of this type cannot wrap other keys */
function recipientOf(keys: RingKeys): RsaPublicKey {
  const { ring, type } = keys
  const recipient = type.codec.publicKey?.recipient
  if (!recipient) throw invalid('destination: must be an RSA key')
  return recipient(keys.version(producingVersion(ring, 0)))
}

function wrap(keys: RingKeys, version: number, recipient: RsaPublicKey, hash: HashName): string {
  const { env, type } = keys
  const key = keys.version(version)
  const whole = type.macOnly ? key.lendAll((macKey) => macKey.slice()) : key.lend((own) => type.codec.toWrapped(env.crypto, own))
  const ephemeral = env.entropy.bytes(EPHEMERAL_BYTES)
  try {
    return encodeBase64(wrapForRsa(recipient, whole, hash, ephemeral))
  } finally {
    whole.fill(0)
    ephemeral.fill(0)
  }
}
