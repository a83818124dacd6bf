/** POST keys/:name/import_version (spec document 1, "Import key version"). */
import { alreadyExists, invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { INCOMING_FIELDS, incomingKey, storeIncoming, storePrivateHalf } from '../incoming.ts'
import type { IncomingKey } from '../key-types/key-codec.ts'
import { checkUse, type Ring } from '../ring.ts'
import { RingKeys, ringNamed } from '../ring-keys.ts'
import { requireUsable } from '../versions.ts'

export const importKeyVersion = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/import_version',
  forwardable: true,
  summary: 'Adds a version to an imported key, or the private half to a version that has none.',
  fields: {
    name: f.name('The name of the key.'),
    ...INCOMING_FIELDS,
    version: f
      .int('The version whose private half this is; without it a fitting latest version is completed, or one added.')
      .optional(),
  },
  returns: {},
  run: (tx, { name, version, ...input }) => {
    const ring = ringNamed(tx, name)
    checkUse(ring)
    if (!ring.imported) throw invalid('name: only keys that were imported, and not rotated since, take further versions')
    if (ring.convergent_encryption) throw invalid('name: convergent keys take no further versions')
    const keys = new RingKeys(tx, ring)
    if (version !== undefined) checkCompletion(keys, version, input.public_key)
    const incoming = incomingKey(tx, ring.type, input)
    if (ring.derived && incoming.publicOnly) throw invalid('public_key: derived keys need their private half')
    const target = version ?? (isMissingPrivateHalf(keys, ring.latest_version, incoming) ? ring.latest_version : undefined)
    if (target === undefined) storeIncoming(tx, ring, incoming)
    else if (isMissingPrivateHalf(keys, target, incoming)) storePrivateHalf(tx, keys, target, incoming)
    else {
      incoming.key.fill(0)
      throw invalid('ciphertext: is not the private half of this version')
    }
    return undefined
  },
})

/** Checks that need no look at the key. @throws KernelError 400 */
function checkCompletion(keys: RingKeys, version: number, publicKey: string | undefined): void {
  const { ring, type } = keys
  if (!type.codec.publicKey) throw invalid(`version: keys of type ${ring.type} have no private half to be given`)
  if (publicKey !== undefined) throw invalid('public_key: a version can only be given its private half')
  if (!keys.version(requireUsable(ring, checkVersion(ring, version))).publicOnly)
    throw alreadyExists('version: has its private half already')
}

function checkVersion(ring: Ring, version: number): number {
  if (version >= 1 && version <= ring.latest_version) return version
  throw invalid(`version: must be 1 to ${ring.latest_version}`)
}

/** Whether the import is the missing private half of a version. */
function isMissingPrivateHalf(keys: RingKeys, version: number, incoming: IncomingKey): boolean {
  if (incoming.publicOnly || !keys.type.codec.publicKey) return false
  return keys.ring.versions[version]?.public_key === incoming.publicKey && keys.version(version).publicOnly
}
