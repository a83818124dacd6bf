import { effectOperation, operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { readByName } from '../../credentials/named-records.ts'
import { keysBusy, pendingStaticKey } from '../keys/key-intents.ts'
import { recordedKeys } from '../keys/recorded-keys.ts'
import { CLOUD_STATIC_CREDENTIAL, CLOUD_STATIC_ROLE } from '../records.ts'
import { assertStaticNameLength, roleName } from '../role/role-name.ts'
import { CHANGE_STATIC_KEY, deleteRoleRecords, rescheduleIfOverdue, setEnding } from './change-static-key.ts'
import { SHOWN_ROLE, shownRole } from './shown.ts'

const NAME = { name: roleName() }

/** @throws KernelError 404 if the role does not exist. */
export const readStaticRole = readByName({
  path: '/static-roles/:name',
  summary: 'Reads a static role. The key of its user is not returned.',
  records: CLOUD_STATIC_ROLE,
  name: roleName(),
  returns: SHOWN_ROLE,
  shown: shownRole,
})

/**
 * @throws KernelError 502 if the cloud refuses or throttles the call, if the call fails in the cloud, or if the cloud does not answer in
 *   time. The role is then kept.
 * @throws KernelError 503 if another operation is changing the access keys of the IAM user of the role, or if it is not known yet whether
 *   an earlier change of the access keys of the IAM user of the role took effect.
 */
export const deleteStaticRole = effectOperation({
  verb: 'DELETE',
  path: '/static-roles/:name',
  forwardable: true,
  summary: 'Deletes a static role and its current access key. The user and the other keys of the user are kept.',
  fields: NAME,
  returns: {},
  effect: CHANGE_STATIC_KEY,
  prepare: (tx, { name }) => {
    assertStaticNameLength(name)
    const role = tx.get(CLOUD_STATIC_ROLE, name)
    if (!role) return { answer: undefined }
    const pending = pendingStaticKey(tx, role.id)
    if (pending?.state === 'running') throw keysBusy()
    const pendingIntent = pending?.work
    if (pendingIntent?.action === 'delete' && pendingIntent.name !== name) throw keysBusy()
    const own = tx.get(CLOUD_STATIC_CREDENTIAL, name)?.access_key
    const obsoleteKeys = own !== undefined && recordedKeys(tx, role.id).get(own)?.length === 1 ? [own] : []
    if (obsoleteKeys.length === 0 && !pending) {
      deleteRoleRecords(tx, name, role)
      return { answer: undefined }
    }
    if (pendingIntent?.action === 'rotate' && pendingIntent.name !== name) rescheduleIfOverdue(tx, pendingIntent.name)
    setEnding(tx, name, true)
    const user = { name: role.username, id: role.id }
    const intent = { action: 'delete', name, user, knownKeys: pendingIntent?.knownKeys ?? null, obsoleteKeys } as const
    return { id: role.id, intent, transient: undefined, onExistingIntent: 'replace' }
  },
})

/** @throws KernelError 404 if the role does not exist. */
export const staticCreds = operation({
  kind: 'read',
  verb: 'GET',
  path: '/static-creds/:name',
  summary: 'Reads the current access key of a static role’s user.',
  fields: NAME,
  returns: { access_key: f.text('The id of the access key.'), secret_key: f.text('The secret of the access key.') },
  // If a role is being deleted, its key may no longer exist.
  run: (tx, { name }) => (tx.get(CLOUD_STATIC_ROLE, name)?.ending ? undefined : tx.get(CLOUD_STATIC_CREDENTIAL, name)),
})
