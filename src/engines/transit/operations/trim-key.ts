import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { trimRing } from '../ring.ts'
import { ringNamed, storeRing } from '../ring-keys.ts'
import { dropVersions } from '../wiping.ts'

/**
 * @throws KernelError 400 if the key does not exist, if `min_encryption_version` of the key has never been set, if `min_available_version`
 *   is below its current value, or if `min_available_version` is above `min_encryption_version` or `min_decryption_version` of the key.
 */
export const trimKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/trim',
  forwardable: true,
  summary: 'Removes old versions of a key permanently. Their ciphertexts can no longer be decrypted.',
  fields: {
    name: f.name('The name of the key.'),
    min_available_version: f.int(
      'Versions below this one are removed. Must be at least its current value, and at most min_encryption_version and min_decryption_version.',
    ),
  },
  returns: KEY_RECORD,
  run: (tx, { name, min_available_version: least }) => {
    const ring = ringNamed(tx, name)
    const next = trimRing(ring, least)
    if (next.min_available_version !== ring.min_available_version) {
      storeRing(tx, ring, next)
      dropVersions(tx, ring, ring.min_available_version, least)
      tx.event('key.trimmed', { name, min_available_version: least })
    }
    return showKey(tx, next)
  },
})
