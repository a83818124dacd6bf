import { rfc3339 } from '../../../core/base/clock.ts'
import { notFound } from '../../../core/base/errors.ts'
import { dropIntent } from '../../../core/contract/effect.ts'
import { effectOperation, operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { listNames, readByName, shownTexts } from '../../credentials/named-records.ts'
import { connectionForRole } from '../find-connection.ts'
import { DATABASE_STATIC_CREDENTIAL, DATABASE_STATIC_ROLE, DATABASE_STATIC_ROLES } from '../records.ts'
import { rotationTtl } from '../rotation/rotation.ts'
import { SHOWN_CREDENTIAL, SHOWN_SECRET, shownCredential } from '../secret/shown.ts'
import { prepareRotation, ROTATE_STATIC_ROLE } from './rotate.ts'

const ROLE_NAME = f.name('The name of the role.')

const ROTATION = {
  rotation_period: f.int('Seconds between rotations, if the role rotates periodically.').optional(),
  rotation_schedule: f.text('The cron schedule in UTC, if the role rotates by schedule.').optional(),
  rotation_window: f
    .int(
      'The number of seconds after a scheduled time within which the rotation must begin. If absent, the rotation can begin at any later time.',
    )
    .optional(),
}

const LAST_ROTATION = f
  .json<string>('The time of the last rotation, in RFC 3339.', { type: 'string', format: 'date-time' })
  .called('last_vault_rotation')

/** @throws KernelError 404 if the role does not exist. */
export const readStaticRole = readByName({
  path: '/static-roles/:name',
  summary: 'Reads a static role. The credential of its user is not returned.',
  records: DATABASE_STATIC_ROLE,
  name: ROLE_NAME,
  returns: {
    username: f.text('The name of the database user.'),
    db_name: f.text('The name of the connection.'),
    rotation_statements: shownTexts('Statements that set the credential; empty if the plugin’s statements are used.'),
    last_service_rotation: LAST_ROTATION,
    ...ROTATION,
    ...SHOWN_CREDENTIAL,
  },
  shown: ({ username, db_name, rotation_statements, rotation, last, credential }) => ({
    username,
    db_name,
    rotation_statements: [...rotation_statements],
    last_service_rotation: rfc3339(last),
    ...rotation,
    ...shownCredential(credential),
  }),
})

/** @throws no errors of its own. */
export const listStaticRoles = listNames('/static-roles', 'static roles', DATABASE_STATIC_ROLE)

/** @throws no errors of its own. */
export const deleteStaticRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/static-roles/:name',
  forwardable: true,
  summary: 'Deletes a static role. Its user stays in the database with its current password.',
  fields: { name: ROLE_NAME },
  returns: {},
  run: (tx, { name }) => {
    // Delete the intent of a rotation in progress, so that the rotation is not finished or recovered.
    dropIntent(tx, ROTATE_STATIC_ROLE, name)
    const role = tx.get(DATABASE_STATIC_ROLE, name)
    if (!role) return undefined
    DATABASE_STATIC_ROLES.delete(tx, name, role)
    return undefined
  },
})

/**
 * @throws KernelError 400 if the role does not exist, or if the connection of the role does not exist.
 * @throws KernelError 403 if the connection does not allow the role.
 */
export const staticCreds = operation({
  kind: 'read',
  verb: 'GET',
  path: '/static-creds/:name',
  summary: 'Reads the current credential of a static role’s user, and the number of seconds until the next rotation.',
  fields: { name: ROLE_NAME },
  returns: {
    username: f.text('The name of the database user.'),
    ...SHOWN_SECRET,
    last_service_rotation: LAST_ROTATION,
    version: f.int('The version of the credential, which increases with each change.'),
    ttl: f.int('Seconds until the next rotation; 0 if it is overdue.'),
    ...ROTATION,
  },
  run: (tx, { name }) => {
    const role = tx.get(DATABASE_STATIC_ROLE, name)
    const credential = tx.get(DATABASE_STATIC_CREDENTIAL, name)
    if (!role || !credential) throw notFound(`name: unknown role ${name}`, 400)
    connectionForRole(tx, name, role.db_name)
    const { username, rotation, last, next, failures, version } = role
    // After a failed rotation, `ttl` is the time until the retry. Do not apply the rotation window then, because a retry can begin outside
    // the window.
    const ttl = failures > 0 ? Math.max(0, Math.round((next - tx.now) / 1000)) : rotationTtl(rotation, next, tx.now)
    return {
      username,
      ...credential,
      version,
      last_service_rotation: rfc3339(last),
      ttl,
      ...rotation,
    }
  },
})

/**
 * @throws KernelError 400 if the role does not exist, or if the connection of the role does not exist.
 * @throws KernelError 403 if the connection does not allow the role.
 * @throws KernelError 502 if the database refuses the call, if the database cannot be reached, or if the database does not answer in time.
 *   Background work then retries the rotation.
 * @throws KernelError 503 if an earlier change of the credential of the role is in progress, or if it is not known yet whether an earlier
 *   change of the credential of the role took effect.
 */
export const rotateRole = effectOperation({
  verb: 'POST',
  path: '/rotate-role/:name',
  forwardable: true,
  summary:
    'Rotates the credential of a static role’s user now. With a rotation period, the next rotation is one period after this rotation. A schedule does not change.',
  fields: { name: ROLE_NAME },
  returns: {},
  effect: ROTATE_STATIC_ROLE,
  prepare: (tx, { name }) => {
    const role = tx.get(DATABASE_STATIC_ROLE, name)
    if (!role) throw notFound(`name: there is no static role ${name}`, 400)
    return prepareRotation(tx, name, role)
  },
})
