import { SHOWN_SETTINGS, shownSettings } from '../../core/access/login/shown-settings.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { type AliasNameSource, findRole, ORCHESTRATOR_ROLE, ROLE_NAME, roleId } from './role-record.ts'

const NAME = { name: ROLE_NAME }
const LIST = { type: 'array' }

/** @throws KernelError 404 if the role does not exist. */
export const readRole = operation({
  kind: 'read',
  verb: 'GET',
  path: '/role/:name',
  summary: 'Reads a role.',
  fields: NAME,
  returns: {
    bound_service_account_names: f.json<readonly string[]>('Names and patterns of the service accounts that may log in.', LIST),
    bound_service_account_namespaces: f.json<readonly string[]>(
      'Names and patterns of the Kubernetes namespaces in which these service accounts must be.',
      LIST,
    ),
    audience: f.text('The required audience of tokens, if it is set.').optional(),
    alias_name_source: f.json<AliasNameSource>(
      'The part of the service account that identifies the caller: `serviceaccount_uid` or `serviceaccount_name`.',
      { type: 'string' },
    ),
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

/** @throws no errors of its own. */
export const listRoles = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/role',
  summary: 'Lists the names of all roles, in byte order.',
  fields: {},
  returns: { keys: f.json<readonly string[]>('The names of the roles in lower case.', LIST) },
  run: (tx) => ({ keys: tx.list(ORCHESTRATOR_ROLE) }),
})

/** @throws no errors of its own. */
export const deleteRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/role/:name',
  forwardable: true,
  summary: 'Deletes a role. Its tokens stay valid until they expire, but can no longer be renewed.',
  fields: NAME,
  returns: {},
  run: (tx, { name }) => {
    if (!findRole(tx, name)) return undefined
    tx.delete(ORCHESTRATOR_ROLE, roleId(name))
    tx.event('auth_role.deleted', { name: roleId(name) })
    return undefined
  },
})
