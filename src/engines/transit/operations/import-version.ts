import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { INCOMING_FIELDS, incomingKey, storeIncoming, storePrivateHalf } from '../incoming.ts'
import type { IncomingKey } from '../key-types/key-codec.ts'
import { checkUse, type Ring } from '../ring.ts'
import { RingKeys, ringNamed } from '../ring-keys.ts'
import { requireUsable } from '../versions.ts'

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if the key was not imported, if the key was rotated after
 *   its import, if `ciphertext` and `public_key` are both missing or both given, if the ciphertext cannot be unwrapped, if the imported key
 *   is not a valid key of the type of the named key, if `version` is given and the key has no such version, if `version` is given and that
 *   version already has its private key, or if `version` is given and the imported key is not the private key of that version.
 */
export const importKeyVersion = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/import_version',
  forwardable: true,
  summary: 'Adds a version to an imported key, or the private half to a version that has only a public key.',
  fields: {
    name: f.name('The name of the key.'),
    ...INCOMING_FIELDS,
    version: f
      .int(
        'The version whose private half is imported. If absent: an imported private key that belongs to the public key of the latest version is added to that version; any other key becomes a new version.',
      )
      .optional(),
  },
  returns: {},
  run: (tx, { name, version, ...input }) => {
    const ring = ringNamed(tx, name)
    checkUse(ring)
    if (!ring.imported) throw invalid('name: only imported keys that were not rotated after the import accept further versions')
    if (ring.convergent_encryption) throw invalid('name: convergent keys do not accept further versions')
    const keys = new RingKeys(tx, ring)
    if (version !== undefined) checkCompletion(keys, version, input.public_key)
    const incoming = incomingKey(tx, ring.type, input)
    if (ring.derived && incoming.publicOnly)
      throw invalid('public_key: is not sufficient for a derived key; import the private key')
    const target = version ?? (isMissingPrivateHalf(keys, ring.latest_version, incoming) ? ring.latest_version : undefined)
    if (target === undefined) storeIncoming(tx, ring, incoming)
    else if (isMissingPrivateHalf(keys, target, incoming)) storePrivateHalf(tx, keys, target, incoming)
    else {
      incoming.key.fill(0)
      throw invalid('ciphertext: must be the private half of this version')
    }
    return undefined
  },
})

/** Makes the checks that do not need the imported key material. @throws KernelError 400 */
function checkCompletion(keys: RingKeys, version: number, publicKey: string | undefined): void {
  const { ring, type } = keys
  if (!type.codec.publicKey) throw invalid(`version: keys of type ${ring.type} have no separate private half`)
  if (publicKey !== undefined)
    throw invalid('public_key: must be omitted if version is given, because version accepts only a private key')
  if (!keys.version(requireUsable(ring, checkVersion(ring, version))).publicOnly)
    throw alreadyExists('version: already has its private half')
}

function checkVersion(ring: Ring, version: number): number {
  if (version >= 1 && version <= ring.latest_version) return version
  throw invalid(`version: must be 1 to ${ring.latest_version}`)
}

/** Returns whether the imported key is the missing private half of the version. */
function isMissingPrivateHalf(keys: RingKeys, version: number, incoming: IncomingKey): boolean {
  if (incoming.publicOnly || !keys.type.codec.publicKey) return false
  return keys.ring.versions[version]?.public_key === incoming.publicKey && keys.version(version).publicOnly
}
