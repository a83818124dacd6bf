/** role: reading, listing and deleting roles (spec document 1, "Orchestrator auth method"). */
import { SHOWN_SETTINGS, shownSettings } from '../../core/access/login/shown-settings.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { type AliasNameSource, findRole, ORCHESTRATOR_ROLE, ROLE_NAME, roleId } from './role-record.ts'

const NAME = { name: ROLE_NAME }
const LIST = { type: 'array' }

export const readRole = operation({
  kind: 'read',
  verb: 'GET',
  path: '/role/:name',
  summary: 'Shows a role.',
  fields: NAME,
  returns: {
    bound_service_account_names: f.json<readonly string[]>('Service accounts that may log in, as patterns.', LIST),
    bound_service_account_namespaces: f.json<readonly string[]>('Their namespaces, as patterns.', LIST),
    audience: f.text('What a token must be meant for, where that is set.').optional(),
    alias_name_source: f.json<AliasNameSource>('What the caller is known by.', { type: 'string' }),
    ...SHOWN_SETTINGS,
  },
  run: (tx, { name }) => {
    const role = findRole(tx, name)
    if (!role) return undefined
    const { audience, alias_name_source, token } = role
    return {
      bound_service_account_names: [...role.bound_service_account_names],
      bound_service_account_namespaces: [...role.bound_service_account_namespaces],
      ...(audience === '' ? {} : { audience }),
      alias_name_source,
      ...shownSettings(token),
    }
  },
})

export const listRoles = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/role',
  summary: 'Lists the names of the roles, in byte order.',
  fields: {},
  returns: { keys: f.json<readonly string[]>('Names, in lower case.', LIST) },
  run: (tx) => ({ keys: tx.list(ORCHESTRATOR_ROLE) }),
})

export const deleteRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/role/:name',
  forwardable: true,
  summary: 'Deletes a role. Its tokens live on, but are not renewed any more.',
  fields: NAME,
  returns: {},
  run: (tx, { name }) => {
    if (!findRole(tx, name)) return undefined
    tx.delete(ORCHESTRATOR_ROLE, roleId(name))
    tx.event('auth_role.deleted', { name: roleId(name) })
    return undefined
  },
})
