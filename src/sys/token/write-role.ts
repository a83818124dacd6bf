/** POST auth/token/roles/:role_name, as in Vault. */

import { checkCidr } from '../../core/access/cidr.ts'
import { normalizePolicies } from '../../core/access/token/token.ts'
import { invalid } from '../../core/base/errors.ts'
import { foldName } from '../../core/base/fold-name.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import type { RoleTokenType } from './token-role.ts'
import { type OldTokenRoleSetting, roleKey, roleNamed, TOKEN_ROLE, type TokenRole } from './token-role.ts'

/**
 * Removes blank names from the list.
 * @throws KernelError 400 if the list contains only blank names, because removing them would remove the restriction that the caller wants.
 */
function namedList(given: readonly string[], name: string): readonly string[] {
  const named = given.filter((each) => each.trim() !== '')
  if (given.length > 0 && named.length === 0) throw invalid(`${name}: must contain a name; an empty list means no restriction`)
  return named
}

const FIELDS = {
  role_name: f.name('The name of the role.'),
  allowed_policies: f
    .list(
      'Policies that tokens of the role may have, even if the caller does not have them. If a request names no policies, the token gets all of them.',
    )
    .optional(),
  disallowed_policies: f.list('Policies that tokens of the role must not have.').optional(),
  allowed_policies_glob: f.list('Glob patterns for policies that tokens of the role may have.').optional(),
  disallowed_policies_glob: f.list('Glob patterns for policies that tokens of the role must not have.').optional(),
  orphan: f.bool('Whether tokens of the role are orphans. Default of a new role: false.').optional(),
  renewable: f.bool('Whether tokens of the role can be renewed. Default of a new role: true.').optional(),
  path_suffix: f.text('A suffix that is appended to the `path` of tokens created with the role.').optional(),
  allowed_entity_aliases: f
    .list('Glob patterns for entity aliases that tokens of the role may use; upper and lower case are equal.')
    .optional(),
  token_type: f
    .word<RoleTokenType>(
      '`service` or `batch`: the type of all tokens of the role. `default-service` or `default-batch`: the type if a request does not choose one.',
    )
    .optional(),
  token_period: f
    .duration(
      'Makes tokens of the role periodic: each renewal grants this lifetime, and only `token_explicit_max_ttl` limits the total. 0: not periodic.',
    )
    .optional(),
  token_explicit_max_ttl: f
    .duration('The maximum lifetime including renewals, counted from the creation of the token; 0 means no maximum.')
    .optional(),
  token_num_uses: f.int('The maximum number of uses of each token; 0 means no limit.').optional(),
  token_bound_cidrs: f
    .list('Networks from which tokens of the role are valid. If empty, they are valid from all networks.')
    .optional(),
  token_no_default_policy: f.bool('Whether tokens of the role do not get the policy `default`.').optional(),
  period: f.duration('The former name of `token_period`.').deprecate().optional(),
  explicit_max_ttl: f.duration('The former name of `token_explicit_max_ttl`.').deprecate().optional(),
  bound_cidrs: f.list('The former name of `token_bound_cidrs`.').deprecate().optional(),
}
type Input = Parsed<typeof FIELDS>

const NEW_ROLE: TokenRole = {
  allowed_policies: [],
  disallowed_policies: [],
  allowed_policies_glob: [],
  disallowed_policies_glob: [],
  orphan: false,
  renewable: true,
  path_suffix: '',
  allowed_entity_aliases: [],
  token_type: 'default-service',
  token_period: 0,
  token_explicit_max_ttl: 0,
  token_num_uses: 0,
  token_bound_cidrs: [],
  token_no_default_policy: false,
  old_names: [],
}

/**
 * @throws KernelError 400 if `path_suffix` is malformed, if `token_num_uses` is negative, if a network is invalid, if `token_type` is
 *   `batch` and the role creates tokens that are not orphans or are renewable, or if `token_type` is `batch` and the role has a period, a
 *   maximum lifetime or a number of uses.
 */
export const writeRole = operation({
  kind: 'write',
  verb: 'POST',
  path: '/roles/:role_name',
  forwardable: true,
  summary: 'Creates a token role, or changes the given settings of an existing one.',
  fields: FIELDS,
  returns: {},
  run: (tx, input) => {
    const role = changed(roleNamed(tx, input.role_name) ?? NEW_ROLE, input)
    checkRole(role, input)
    warnOfBoth(tx, input)
    tx.put(TOKEN_ROLE, roleKey(tx.call.namespace, input.role_name), role)
    tx.event('token_role.written', { name: input.role_name })
    return undefined
  },
})

function changed(old: TokenRole, input: Input): TokenRole {
  const renamed = <K extends OldTokenRoleSetting>(name: K) => input[`token_${name}`] ?? input[name] ?? old[`token_${name}`]
  return {
    allowed_policies: input.allowed_policies
      ? normalizePolicies(namedList(input.allowed_policies, 'allowed_policies'))
      : old.allowed_policies,
    ...restricted('disallowed_policies', old, input),
    ...restricted('allowed_policies_glob', old, input),
    ...restricted('disallowed_policies_glob', old, input),
    orphan: input.orphan ?? old.orphan,
    renewable: input.renewable ?? old.renewable,
    path_suffix: input.path_suffix ?? old.path_suffix,
    allowed_entity_aliases: input.allowed_entity_aliases ? names(input.allowed_entity_aliases) : old.allowed_entity_aliases,
    token_type: input.token_type === undefined ? old.token_type : typeNamed(input.token_type),
    token_period: renamed('period') as number,
    token_explicit_max_ttl: renamed('explicit_max_ttl') as number,
    token_num_uses: input.token_num_uses ?? old.token_num_uses,
    token_bound_cidrs: renamed('bound_cidrs') as readonly string[],
    token_no_default_policy: input.token_no_default_policy ?? old.token_no_default_policy,
    old_names: OLD_NAMES.filter(
      (name) => input[`token_${name}`] === undefined && (input[name] !== undefined || old.old_names.includes(name)),
    ),
  }
}

type Restriction = 'disallowed_policies' | 'allowed_policies_glob' | 'disallowed_policies_glob'

function restricted<N extends Restriction>(name: N, old: TokenRole, input: Input): Pick<TokenRole, N> {
  const given = input[name] as readonly string[] | undefined
  return { [name]: given ? names(namedList(given, name)) : old[name] } as Pick<TokenRole, N>
}

const OLD_NAMES: readonly OldTokenRoleSetting[] = ['period', 'explicit_max_ttl', 'bound_cidrs']

/** Returns the names trimmed, in lower case, sorted, without duplicates and empty names. */
const names = (list: readonly string[]): readonly string[] =>
  [...new Set(list.map((name) => foldName(name.trim())).filter((name) => name !== ''))].sort()

function typeNamed(word: string): TokenRole['token_type'] {
  if (word === '' || word === 'default' || word === 'default-service') return 'default-service'
  if (word === 'default-batch' || word === 'service' || word === 'batch') return word
  throw invalid("token_type: invalid 'token_type' value")
}

function checkRole(role: TokenRole, input: Input): void {
  const { path_suffix } = role
  if (path_suffix.includes('..')) throw invalid('path_suffix: cannot contain parent references')
  // The pattern has no anchors, as in Vault: the suffix only has to contain a match.
  if (path_suffix !== '' && !/\w[\w.-]+\w/.test(path_suffix))
    throw invalid('path_suffix: given role path suffix contains invalid characters; must match \\w[\\w-.]+\\w')
  const networks = input.bound_cidrs && !input.token_bound_cidrs ? 'bound_cidrs' : 'token_bound_cidrs'
  for (const network of role.token_bound_cidrs) checkCidr(network, networks)
  if (role.token_num_uses < 0) throw invalid("token_num_uses: 'token_num_uses' cannot be negative")
  if (role.token_type === 'batch') checkBatchRole(role)
}

/** Refuses settings that batch tokens cannot have. They have no record, so they cannot be renewed, counted, or revoked with a parent. */
function checkBatchRole(role: TokenRole): void {
  const refuse = (what: string): never => {
    throw invalid(`token_type: 'token_type' cannot be 'batch' when role is set to generate ${what}`)
  }
  if (!role.orphan) refuse('non-orphan tokens')
  if (role.token_period > 0) refuse('periodic tokens')
  if (role.renewable) refuse('renewable tokens')
  if (role.token_explicit_max_ttl > 0) refuse('tokens with an explicit max TTL')
  if (role.token_num_uses > 0) refuse('tokens with limited uses')
}

function warnOfBoth(tx: Tx, input: Input): void {
  for (const name of OLD_NAMES) {
    if (input[name] !== undefined && input[`token_${name}`] !== undefined)
      tx.warn(`Both 'token_${name}' and deprecated '${name}' value supplied, ignoring the deprecated value`)
  }
}
