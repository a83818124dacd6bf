import { rfc3339 } from '../../../core/base/clock.ts'
import type { PreparedEffect } from '../../../core/contract/effect.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { DESTINATION_NAME, DESTINATION_TYPE } from '../destination/fields.ts'
import { associationId, destinationId, SYNC_ASSOCIATION } from '../records.ts'
import { TYPE_IN_PATH } from '../types.ts'
import { markEnded, putAssociation } from '../work/associations.ts'
import { beginTurn, claimedUntil } from '../work/begin.ts'
import { SYNC_EFFECT } from '../work/effect.ts'
import type { Turn } from '../work/perform.ts'
import { MOUNT_FIELD, mountNamed, mountPathOf, SECRET_FIELD, secretPathOf } from './names.ts'
import { requireDestination } from './set.ts'
import { type AssociatedSecrets, SHOWN_ASSOCIATIONS, type ShownAssociations, shownAssociations, shownSecrets } from './shown.ts'

/**
 * @throws KernelError 400 if a path is invalid, or if the destination is being purged.
 * @throws KernelError 404 if the destination does not exist.
 * @throws KernelError 502 if the synchronization did not begin or did not end in time. Background work completes it.
 * @throws KernelError 503 if an earlier call of this method for the same secret and destination is in progress, or if it is not known yet
 *   whether an earlier call took effect.
 */
export const removeAssociation = effectOperation({
  verb: 'POST',
  path: '/sync/destinations/:type/:name/associations/remove',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary:
    'Stops pushing a secret to a destination, and removes the secret from the external store. Succeeds even if the secret was not pushed.',
  fields: { type: DESTINATION_TYPE, name: DESTINATION_NAME, mount: MOUNT_FIELD, secret_name: SECRET_FIELD },
  returns: SHOWN_ASSOCIATIONS,
  effect: SYNC_EFFECT,
  prepare: (tx, { type, name, ...given }): PreparedEffect<Turn, undefined> | { readonly answer: ShownAssociations } => {
    const destination = destinationId({ namespace: tx.call.namespace.uuid, type, name })
    requireDestination(tx, destination)
    const mountPath = mountPathOf(given.mount)
    const path = secretPathOf(given.secret_name)
    const mount = mountNamed(tx, mountPath)
    if (!mount) return { answer: shownAssociations(tx, destination, {}) }
    const id = associationId({ destination, mount: mount.record.uuid, path })
    const association = tx.get(SYNC_ASSOCIATION, id)
    if (!association) return { answer: shownAssociations(tx, destination, unsyncedEntry(tx, mount.record.accessor, path)) }
    const after = markEnded(tx, association)
    if (claimedUntil(tx, id) === undefined) return beginTurn(tx, id, after, false)
    putAssociation(tx, id, after)
    return { answer: shownAssociations(tx, destination, shownSecrets(tx, id, after)) }
  },
})

const unsyncedEntry = ({ now }: Tx, accessor: string, path: string): AssociatedSecrets => ({
  [`${accessor}/${path}`]: { accessor, secret_name: path, sync_status: 'UNSYNCED', updated_at: rfc3339(now) },
})
