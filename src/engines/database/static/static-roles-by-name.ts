/**
 * Reading, listing, deleting and rotating static roles, and reading what their users log in with (spec document 1, "Read static role" to
 * "Rotate static role credentials").
 */

import { rfc3339 } from '../../../core/base/clock.ts'
import { notFound } from '../../../core/base/errors.ts'
import { dropIntent } from '../../../core/contract/effect.ts'
import { PAGE_FIELDS, pageOf } from '../../../core/contract/list-page.ts'
import { effectOperation, operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { DATABASE_STATIC_CREDENTIAL, DATABASE_STATIC_ROLE } from '../records.ts'
import { connectionForRole } from '../role-connection.ts'
import { rotationTtl } from '../rotation/rotation.ts'
import { SHOWN_CREDENTIAL, SHOWN_SECRET, shownCredential } from '../secret/shown.ts'
import { prepareRotation, ROTATE_STATIC_ROLE } from './rotate.ts'

const NAME = { name: f.name('The name of the role.') }

const STRING_LIST = { type: 'array', items: { type: 'string' } }

const ROTATION = {
  rotation_period: f.int('Seconds from one rotation to the next, where it is by period.').optional(),
  rotation_schedule: f.text('Five fields of cron in UTC, where it is by schedule.').optional(),
  rotation_window: f.int('Seconds behind a time of the schedule in which it is still done.').optional(),
}

const LAST_ROTATION = f
  .json<string>('When the user got the credential it has, in RFC 3339.', { type: 'string', format: 'date-time' })
  .called('last_vault_rotation')

export const readStaticRole = operation({
  kind: 'read',
  verb: 'GET',
  path: '/static-roles/:name',
  summary: 'Shows a static role. Never what its user logs in with.',
  fields: NAME,
  returns: {
    username: f.text('The user.'),
    db_name: f.text('The name of the connection.'),
    rotation_statements: f.json<readonly string[]>('What sets the credential; empty: the plugin’s.', STRING_LIST),
    last_service_rotation: LAST_ROTATION,
    ...ROTATION,
    ...SHOWN_CREDENTIAL,
  },
  run: (tx, { name }) => {
    const role = tx.get(DATABASE_STATIC_ROLE, name)
    if (!role) return undefined
    const { username, db_name, rotation_statements, rotation, last } = role
    return {
      username,
      db_name,
      rotation_statements: [...rotation_statements],
      last_service_rotation: rfc3339(last),
      ...rotation,
      ...shownCredential(role.credential),
    }
  },
})

export const listStaticRoles = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/static-roles',
  summary: 'Lists the names of all static roles, in byte order.',
  fields: PAGE_FIELDS,
  returns: { keys: f.json<readonly string[]>('Names.', STRING_LIST) },
  run: (tx, page) => ({ keys: tx.list(DATABASE_STATIC_ROLE, pageOf(page)) }),
})

export const deleteStaticRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/static-roles/:name',
  forwardable: true,
  summary: 'Lets a user go: it stays in the database, with the password it has.',
  fields: NAME,
  returns: {},
  run: (tx, { name }) => {
    // A value that is under way goes nowhere then.
    dropIntent(tx, ROTATE_STATIC_ROLE, name)
    const role = tx.get(DATABASE_STATIC_ROLE, name)
    if (!role) return undefined
    tx.delete(DATABASE_STATIC_ROLE, name)
    tx.delete(DATABASE_STATIC_CREDENTIAL, name)
    tx.due('credential', name, { from: role.next })
    tx.event('role.deleted', { name })
    return undefined
  },
})

export const staticCreds = operation({
  kind: 'read',
  verb: 'GET',
  path: '/static-creds/:name',
  summary: 'Shows what the user of a static role logs in with now, and for how long.',
  fields: NAME,
  returns: {
    username: f.text('The user.'),
    ...SHOWN_SECRET,
    last_service_rotation: LAST_ROTATION,
    version: f.int('Counts the changes of the credential: another number means another password.'),
    ttl: f.int('Seconds from now to the next rotation; 0 while it is due and has not been done.'),
    ...ROTATION,
  },
  run: (tx, { name }) => {
    const role = tx.get(DATABASE_STATIC_ROLE, name)
    const credential = tx.get(DATABASE_STATIC_CREDENTIAL, name)
    if (!role || !credential) throw notFound(`name: unknown role ${name}`, 400)
    connectionForRole(tx, name, role.db_name)
    const { username, rotation, last, next, failures, version = 1 } = role
    // A rotation that has failed is due at its next attempt, whatever its window.
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

export const rotateRole = effectOperation({
  verb: 'POST',
  path: '/rotate-role/:name',
  forwardable: true,
  summary: 'Gives the user of a static role a new credential now. Its period begins anew; its schedule goes on.',
  fields: NAME,
  returns: {},
  effect: ROTATE_STATIC_ROLE,
  prepare: (tx, { name }) => {
    const role = tx.get(DATABASE_STATIC_ROLE, name)
    if (!role) throw notFound(`name: there is no static role ${name}`, 400)
    return prepareRotation(tx, name, role)
  },
})
