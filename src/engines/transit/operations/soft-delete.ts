import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { RING } from '../ring.ts'

const fields = { name: f.name('The name of the key.') }

/** @throws no errors of its own. */
export const softDeleteKey = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/keys/:name/soft-delete',
  forwardable: true,
  summary: 'Disables a key without deleting it. A missing key is not an error.',
  fields,
  returns: KEY_RECORD,
  run: (tx, { name }) => setSoftDeleted(tx, name, true, 'the key was already soft-deleted'),
})

/** @throws no errors of its own. */
export const undeleteKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/soft-delete-restore',
  forwardable: true,
  summary: 'Enables a soft-deleted key again. A missing key is not an error.',
  fields,
  returns: KEY_RECORD,
  run: (tx, { name }) => setSoftDeleted(tx, name, false, 'the key was not soft-deleted'),
})

/**
 * Soft-deletes a key, or enables it again. Automatic rotation stays scheduled: while the key is soft-deleted, its rotations fail and are
 * retried.
 */
function setSoftDeleted(tx: Tx, name: string, soft_deleted: boolean, already: string) {
  const ring = tx.get(RING, name)
  if (!ring) return undefined
  if (ring.soft_deleted === soft_deleted) {
    tx.warn(already)
    return showKey(tx, ring)
  }
  const next = { ...ring, soft_deleted }
  tx.put(RING, name, next)
  tx.event(soft_deleted ? 'key.soft_deleted' : 'key.undeleted', { name })
  return showKey(tx, next)
}
