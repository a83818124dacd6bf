import { conflict, invalid, notFound } from '../../../core/base/errors.ts'
import type { PreparedEffect } from '../../../core/contract/effect.ts'
import { mountKind } from '../../../core/contract/mount-record.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import type { Mount } from '../../../core/mount/mount.ts'
import { putMount } from '../../../core/mount/stored-mount.ts'
import { DESTINATION_NAME, DESTINATION_TYPE } from '../destination/fields.ts'
import { nameTemplateOf } from '../destination/shown.ts'
import { storeOf } from '../ports.ts'
import {
  type Association,
  associationId,
  destinationId,
  readAssociationId,
  readDestinationId,
  SYNC_ASSOCIATION,
  SYNC_DESTINATION,
  SYNCED_SECRET,
  type SyncDestinationRecord,
  type SyncRow,
  secretId,
} from '../records.ts'
import { TYPE_IN_PATH } from '../types.ts'
import { markChanged, newAssociation, putAssociation, withDestination } from '../work/associations.ts'
import { beginTurn, claimedUntil } from '../work/begin.ts'
import { SYNC_EFFECT } from '../work/effect.ts'
import { liveKeys } from '../work/live.ts'
import { nameInputsOf } from '../work/name-inputs.ts'
import type { Turn } from '../work/perform.ts'
import { plannedRows } from '../work/rows.ts'
import {
  authorizeAdopt,
  authorizeSecretRead,
  MOUNT_FIELD,
  mountNamed,
  mountPathOf,
  SECRET_FIELD,
  secretPathOf,
  syncableMount,
} from './names.ts'
import { SHOWN_ASSOCIATIONS, type ShownAssociations, shownAssociations, shownSecrets } from './shown.ts'

/** Returns the record of a destination. @throws KernelError 404 if the destination does not exist; 400 if it is being purged. */
export function requireDestination(tx: Tx, id: string): SyncDestinationRecord {
  const found = tx.get(SYNC_DESTINATION, id)
  if (!found) throw notFound(`there is no destination ${id.slice(id.indexOf('/') + 1)}`)
  if (found.ending) throw conflict('name: purge in progress')
  return found
}

/**
 * @throws KernelError 400 if the mount is not a key/value engine of version 2, if the mount is local, if the external store cannot store
 *   the secret, if another association uses the same external name, or if the destination is being purged.
 * @throws KernelError 403 if the caller is not allowed to read the secret, or if `adopt` is set and the caller is not allowed to update the
 *   destination.
 * @throws KernelError 404 if the destination does not exist, if the secret does not exist, or if the secret has no readable version.
 * @throws KernelError 502 if the synchronization did not begin or did not end in time. Background work completes it.
 * @throws KernelError 503 if an earlier call of this method for the same secret and destination is in progress, or if it is not known yet
 *   whether an earlier call took effect.
 */
export const setAssociation = effectOperation({
  verb: 'POST',
  path: '/sync/destinations/:type/:name/associations/set',
  segmentAliases: TYPE_IN_PATH,
  forwardable: true,
  summary:
    'Pushes a secret to a destination, now and whenever the secret changes. If the secret was already pushed, pushes it again.',
  fields: {
    type: DESTINATION_TYPE,
    name: DESTINATION_NAME,
    mount: MOUNT_FIELD,
    secret_name: SECRET_FIELD,
    adopt: f
      .bool(
        'Whether to replace an external secret that has the same name but was not created by this association. The association then also updates and removes that external secret. Requires the capability `update` on the destination.',
      )
      .default(false),
  },
  returns: SHOWN_ASSOCIATIONS,
  effect: SYNC_EFFECT,
  prepare: (tx, { type, name, adopt, ...given }): PreparedEffect<Turn, undefined> | { readonly answer: ShownAssociations } => {
    const destination = destinationId({ namespace: tx.call.namespace.uuid, type, name })
    if (adopt) authorizeAdopt(tx, type, name)
    const record = requireDestination(tx, destination)
    const mountPath = mountPathOf(given.mount)
    const path = secretPathOf(given.secret_name)
    const readPath = mountNamed(tx, mountPath)?.engine.secrets?.readPath(path) ?? `data/${path}`
    authorizeSecretRead(tx, mountPath, readPath, path)
    const mount = syncableMount(tx, mountPath)
    const id = associationId({ destination, mount: mount.record.uuid, path })
    const { planned, more } = plannedAssociation(tx, id, { record, mount, adopt })
    enableChangeNotes(tx, mount)
    const secret = secretId({ mount: mount.record.uuid, path })
    const known = tx.get(SYNCED_SECRET, secret)
    const destinations = withDestination(known, destination)
    if (destinations.length !== known?.destinations.length) tx.put(SYNCED_SECRET, secret, { destinations })
    if (claimedUntil(tx, id) === undefined) return beginTurn(tx, id, planned, more, true)
    // Another synchronization of this association is in progress. At its end it finds that the desired state has changed, and then a tick
    // pushes the change.
    const after = { ...planned, force: true as const }
    putAssociation(tx, id, after)
    return { answer: shownAssociations(tx, destination, shownSecrets(tx, id, after)) }
  },
})

interface SetRequest {
  readonly record: SyncDestinationRecord
  readonly mount: Mount
  readonly adopt: boolean
}

/** Returns the new state of the association, and reserves the external names that the association needs. */
function plannedAssociation(tx: Tx, id: string, { record, mount, adopt }: SetRequest) {
  const { accessor } = mount.record
  const name = readAssociationId(id)
  const { type } = readDestinationId(name.destination)
  const store = storeOf(tx.env, type)
  const { granularity } = record
  const live = liveKeys(tx, name, granularity, store.rules)
  if (!live) throw notFound('secret_name: the secret does not exist or has no readable version')
  if (live.rule !== undefined) throw invalid(`secret_name: the secret cannot be pushed: ${live.rule}`)
  const template = nameTemplateOf(record, { type }, tx.env)
  const { gone: _, ...before } = tx.get(SYNC_ASSOCIATION, id) ?? newAssociation(tx, accessor)
  const own: Association = { ...before, granularity, template }
  const naming = nameInputsOf(tx, id, own, store)
  const { rows, more } = plannedRows(tx, own.rows, { association: id, naming, keys: live.keys, renames: true })
  return { planned: markChanged(tx, { ...own, rows: rows.map((row) => withAdopt(row, adopt)) }), more }
}

/**
 * Sets or removes the permission to replace an external secret of another owner. A `set` without `adopt` removes the permission that an
 * earlier `set` gave.
 */
function withAdopt({ adopt: _, ...row }: SyncRow, adopt: boolean): SyncRow {
  return adopt && !row.gone && row.name !== '' ? { ...row, adopt: true } : row
}

/** Marks the mount as synchronized. From the commit on, the engine of the mount records changes of its secrets in the outbox. */
function enableChangeNotes(tx: Tx, { record }: Mount): void {
  const stored = tx.get(mountKind(record), record.uuid)
  if (!stored || stored.ending) throw conflict('mount: was disabled while the request ran')
  if (!stored.synced) putMount(tx, { ...stored, synced: true })
}
