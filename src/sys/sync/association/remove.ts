/**
 * POST destinations/:type/:name/associations/remove (spec document 2, "Secret sync").
 */
import { rfc3339 } from '../../../core/base/clock.ts'
import type { Prepared } from '../../../core/contract/effect.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { NAME, TYPE } from '../destination/fields.ts'
import { ASSOCIATION, associationId, destinationId } from '../records.ts'
import { TYPE_IN_PATH } from '../types.ts'
import { ended, putAssociation } from '../work/associations.ts'
import { begin, takenUntil } from '../work/begin.ts'
import { SYNC_EFFECT } from '../work/effect.ts'
import type { Turn } from '../work/perform.ts'
import { MOUNT_FIELD, mountNamed, mountPathOf, SECRET_FIELD, secretPathOf } from './names.ts'
import { openDestination } from './set.ts'
import { type AssociatedSecrets, SHOWN_ASSOCIATIONS, type ShownAssociations, shownOf, shownSecrets } from './shown.ts'

export const removeAssociation = effectOperation({
  verb: 'POST',
  path: '/sync/destinations/:type/:name/associations/remove',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary: 'Ends the pushing of a secret to a destination, and removes it there. Whether it was there does not matter.',
  fields: { type: TYPE, name: NAME, mount: MOUNT_FIELD, secret_name: SECRET_FIELD },
  returns: SHOWN_ASSOCIATIONS,
  effect: SYNC_EFFECT,
  prepare: (tx, { type, name, ...given }): Prepared<Turn, undefined> | { readonly answer: ShownAssociations } => {
    const destination = destinationId({ namespace: tx.call.namespace.uuid, type, name })
    openDestination(tx, destination)
    const mountPath = mountPathOf(given.mount)
    const path = secretPathOf(given.secret_name)
    const mount = mountNamed(tx, mountPath)
    if (!mount) return { answer: shownOf(tx, destination, {}) }
    const id = associationId({ destination, mount: mount.record.uuid, path })
    const association = tx.get(ASSOCIATION, id)
    if (!association) return { answer: shownOf(tx, destination, nothing(tx, mount.record.accessor, path)) }
    const after = ended(tx, association)
    if (takenUntil(tx, id) === undefined) return begin(tx, id, after, false)
    putAssociation(tx, id, after)
    return { answer: shownOf(tx, destination, shownSecrets(tx, id, after)) }
  },
})

const nothing = ({ now }: Tx, accessor: string, path: string): AssociatedSecrets => ({
  [`${accessor}/${path}`]: { accessor, secret_name: path, sync_status: 'UNSYNCED', updated_at: rfc3339(now) },
})
