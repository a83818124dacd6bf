import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { checkRotation } from '../managed-keys.ts'
import { configureRing } from '../ring.ts'
import { ringNamed, storeRing } from '../ring-keys.ts'

/**
 * @throws KernelError 400 if the key does not exist, if `min_decryption_version` or `min_encryption_version` is negative or above the
 *   latest version, if `min_decryption_version` or `min_encryption_version` would be below the `min_available_version` of the key, if
 *   `min_encryption_version` would be neither 0 nor at least `min_decryption_version`, if the key has no version `min_decryption_version`,
 *   if `auto_rotate_period` is not 0 and is below one hour, or if the key is a managed key and `auto_rotate_period` is not 0.
 * @example
 * // Ciphertexts of version 1 can no longer be decrypted.
 * await kernel.transit.configureKey({ name: 'orders', min_decryption_version: 2 })
 */
export const configureKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/config',
  forwardable: true,
  summary: 'Changes settings of a key. Omitted settings are unchanged, and an error changes nothing.',
  fields: {
    name: f.name('The name of the key.'),
    min_decryption_version: f
      .int('Versions below this one no longer decrypt or verify. Must not be above the latest version.')
      .optional(),
    min_encryption_version: f
      .int('Versions below this one no longer encrypt or sign. Must be 0 (no limit) or at least min_decryption_version.')
      .optional(),
    deletion_allowed: f.bool('Whether the key may be deleted.').optional(),
    exportable: f.bool('Whether key material may be exported. Cannot be reset to false.').optional(),
    allow_plaintext_backup: f.bool('Whether the key may be backed up in plaintext. Cannot be reset to false.').optional(),
    auto_rotate_period: f.duration('Time between automatic rotations, at least one hour; 0 means never.').optional(),
  },
  returns: KEY_RECORD,
  run: (tx, { name, ...config }) => {
    const ring = ringNamed(tx, name)
    if (config.min_decryption_version === 0) tx.warn('min_decryption_version: key versions start at 1, so 1 was stored')
    checkRotation(ring.type, config.auto_rotate_period ?? 0)
    const next = configureRing(ring, config)
    if (next !== ring) {
      storeRing(tx, ring, next)
      tx.event('key.configured', { name })
    }
    return showKey(tx, next)
  },
})
