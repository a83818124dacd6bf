import { invalid } from '../../../core/base/errors.ts'
import { operation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { KEY_RECORD, showKey } from '../key-view.ts'
import { MANAGED_FIELDS, managedRef } from '../managed-keys.ts'
import type { ManagedKeyRef } from '../port.ts'
import { checkUse, RING, type Ring, rotationDue } from '../ring.ts'
import { ringNamed, storeNewVersion } from '../ring-keys.ts'

/**
 * @throws KernelError 400 if the key does not exist, if the key is soft-deleted, if the key was imported without `allow_rotation`, or if
 *   the key is a managed key and neither `managed_key_name` nor `managed_key_id` is given.
 * @throws KernelError 502 if the external system that keeps a managed key refuses the call, fails, or cannot be reached.
 * @example
 * const { latest_version } = await kernel.transit.rotateKey({ name: 'orders' })
 */
export const rotateKey = operation({
  kind: 'write',
  verb: 'POST',
  path: '/keys/:name/rotate',
  forwardable: true,
  summary: 'Adds a version to a key. New encryptions use it; older ciphertexts can still be decrypted.',
  fields: {
    name: f.name('The name of the key.'),
    ...MANAGED_FIELDS,
  },
  returns: KEY_RECORD,
  run: (tx, { name, ...managed }) => {
    const ring = ringNamed(tx, name)
    checkUse(ring)
    if (ring.imported && !ring.allow_imported_key_rotation) throw invalid('name: this key was imported without allow_rotation')
    return showKey(tx, addRotatedVersion(tx, ring, managedRef(managed)))
  },
})

/**
 * Adds one version, even if several rotation periods have passed since the last one. Does nothing if the key or its rotation period no
 * longer exists.
 */
export function rotateDue(tx: Tx, name: string): void {
  const ring = tx.get(RING, name)
  const due = ring && rotationDue(ring)
  if (!ring || due === undefined) return
  checkUse(ring)
  if (due <= tx.now) addRotatedVersion(tx, ring)
  // The clock was set back since the tick began, so schedule the rotation again.
  else tx.due('rotation', name, { to: due })
}

function addRotatedVersion(tx: Tx, before: Ring, ref?: ManagedKeyRef): Ring {
  const ring = storeNewVersion(tx, before, ref)
  tx.event('key.rotated', { name: ring.name, key_type: ring.type, version: ring.latest_version })
  return ring
}
