/** auth/token/roles: reading, listing and deleting token roles, as in Vault. */
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { type RoleTokenType, roleKey, roleNamed, TOKEN_ROLE } from './token-role.ts'

const NAME = { role_name: f.name('The name of the role.') }
const LIST = { type: 'array' }
const texts = (description: string) => f.json<readonly string[]>(description, LIST)

/** @throws KernelError 404 if the role does not exist. */
export const readRole = operation({
  kind: 'read',
  verb: 'GET',
  path: '/roles/:role_name',
  summary: 'Shows the settings of a token role.',
  fields: NAME,
  returns: {
    name: f.text('Its name.'),
    allowed_policies: texts('Policies that tokens of the role may have.'),
    disallowed_policies: texts('Policies that tokens of the role must not have.'),
    allowed_policies_glob: texts('Glob patterns for policies that tokens of the role may have.'),
    disallowed_policies_glob: texts('Glob patterns for policies that tokens of the role must not have.'),
    allowed_entity_aliases: f.json<readonly string[] | null>(
      'Glob patterns for entity aliases that tokens of the role may use; null if no alias is allowed.',
      LIST,
    ),
    orphan: f.bool('Whether tokens of the role are orphans.'),
    renewable: f.bool('Whether tokens of the role can be renewed.'),
    path_suffix: f.text('The suffix that is appended to the `path` of tokens created with the role.'),
    period: f.int('The value of `token_period` if a request set it under the former name `period`, else 0.'),
    explicit_max_ttl: f.int(
      'The value of `token_explicit_max_ttl` if a request set it under the former name `explicit_max_ttl`, else 0.',
    ),
    token_period: f.int(
      'The lifetime that each renewal of a periodic token grants, in seconds; 0 if tokens of the role are not periodic.',
    ),
    token_explicit_max_ttl: f.int('The maximum lifetime including renewals, in seconds; 0 means no maximum.'),
    token_no_default_policy: f.bool('Whether tokens of the role do not have the policy `default`.'),
    token_type: f.json<RoleTokenType>(
      '`service` or `batch`: the type of all tokens of the role. `default-service` or `default-batch`: the type if a request does not choose one.',
      {
        type: 'string',
      },
    ),
    token_num_uses: f.int('The maximum number of uses of each token; 0 means no limit.').optional(),
    token_bound_cidrs: texts(
      'Networks from which tokens of the role are valid. If empty, they are valid from all networks.',
    ).optional(),
    bound_cidrs: texts('The value of `token_bound_cidrs`, if a request set it under the former name `bound_cidrs`.').optional(),
  },
  run: (tx, { role_name }) => {
    const role = roleNamed(tx, role_name)
    if (!role) return undefined
    const old = (name: (typeof role.old_names)[number]): boolean => role.old_names.includes(name)
    const { token_num_uses, token_bound_cidrs, allowed_entity_aliases } = role
    return {
      name: role_name,
      allowed_policies: [...role.allowed_policies],
      disallowed_policies: [...role.disallowed_policies],
      allowed_policies_glob: [...role.allowed_policies_glob],
      disallowed_policies_glob: [...role.disallowed_policies_glob],
      allowed_entity_aliases: allowed_entity_aliases.length > 0 ? [...allowed_entity_aliases] : null,
      orphan: role.orphan,
      renewable: role.renewable,
      path_suffix: role.path_suffix,
      period: old('period') ? role.token_period : 0,
      explicit_max_ttl: old('explicit_max_ttl') ? role.token_explicit_max_ttl : 0,
      token_period: role.token_period,
      token_explicit_max_ttl: role.token_explicit_max_ttl,
      token_no_default_policy: role.token_no_default_policy,
      token_type: role.token_type,
      ...(token_num_uses > 0 ? { token_num_uses } : {}),
      ...(token_bound_cidrs.length > 0 ? { token_bound_cidrs: [...token_bound_cidrs] } : {}),
      ...(token_bound_cidrs.length > 0 && old('bound_cidrs') ? { bound_cidrs: [...token_bound_cidrs] } : {}),
    }
  },
})

/** @throws no errors of its own. */
export const listRoles = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/roles',
  summary: 'Lists the names of the token roles, in byte order.',
  fields: {},
  returns: { keys: texts('Names.') },
  run: (tx) => ({ keys: tx.list(TOKEN_ROLE, { prefix: roleKey(tx.call.namespace, '') }) }),
})

/** @throws no errors of its own. */
export const deleteRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/roles/:role_name',
  forwardable: true,
  summary: 'Deletes a token role. Tokens that were created with the role remain valid, but can no longer be renewed.',
  fields: NAME,
  returns: {},
  run: (tx, { role_name }) => {
    if (!roleNamed(tx, role_name)) return undefined
    tx.delete(TOKEN_ROLE, roleKey(tx.call.namespace, role_name))
    tx.event('token_role.deleted', { name: role_name })
    return undefined
  },
})
