import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { ARCHIVE_FORMS, withBackupTime, writeArchive } from '../archive/write-archive.ts'
import { checkUse, RING } from '../ring.ts'
import { RingKeys } from '../ring-keys.ts'
import { checkExportable } from './export-key.ts'

/**
 * @throws KernelError 400 if the key is not exportable, if the key does not allow plaintext backups, if the key is soft-deleted, or if the
 *   system that `form` names does not have the key type.
 * @throws KernelError 404 if the key does not exist.
 */
export const backupKey = operation({
  kind: 'write',
  verb: 'GET',
  path: '/backup/:name',
  forwardable: true,
  summary:
    'Returns a plaintext backup of a key with all versions and settings. The key must be exportable and must allow plaintext backups.',
  fields: {
    name: f.name('The name of the key.'),
    form: f
      .oneOf(
        ARCHIVE_FORMS,
        'The system for which the backup is written, because OpenBao and Vault represent the key type hmac by different numbers. This library restores both forms.',
      )
      .default('openbao'),
  },
  returns: { backup: f.text('The backup in base64. It contains the keys in plaintext.') },
  run: (tx, { name, form }) => {
    const ring = tx.get(RING, name)
    if (!ring) return undefined
    checkExportable(ring)
    if (!ring.allow_plaintext_backup) throw invalid('name: this key does not allow plaintext backups')
    checkUse(ring)
    new RingKeys(tx, ring).load(Object.keys(ring.versions).map(Number))
    // Choose the time of the backup once, even if the transaction is rerun, so that the backup and the stored record have the same time.
    const next = tx.once('stamped', async () => withBackupTime(ring, tx.now), 'attempt')
    const backup = tx.steps('backup', () => writeArchive(new RingKeys(tx, next), form), 'attempt')
    tx.put(RING, name, next)
    return { backup }
  },
})
