import { changeTokenSettings, NO_TOKEN_SETTINGS, TOKEN_SETTINGS } from '../../core/access/login/token-settings.ts'
import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import {
  ALIAS_NAME_SOURCES,
  type AliasNameSource,
  findRole,
  ORCHESTRATOR_ROLE,
  type OrchestratorRole,
  ROLE_NAME,
  roleId,
} from './role-record.ts'

const NEW_ROLE: OrchestratorRole = {
  bound_service_account_names: [],
  bound_service_account_namespaces: [],
  audience: '',
  alias_name_source: 'serviceaccount_uid',
  token: NO_TOKEN_SETTINGS,
}

const PATTERNS = 'names, patterns such as `prod-*`, or only `*` for all.'

/**
 * @throws KernelError 400 if a new role has no service account names or no namespaces, if `*` is combined with other patterns, if a network
 *   is invalid, if `token_ttl` is above `token_max_ttl`, or if the role issues batch tokens and has a period or a number of uses.
 */
export const writeRole = operation({
  kind: 'write',
  verb: 'POST',
  path: '/role/:name',
  forwardable: true,
  summary: 'Creates a role, or changes the given parameters of an existing one.',
  fields: {
    name: ROLE_NAME,
    bound_service_account_names: f.list(`The service accounts that may log in: ${PATTERNS} Required for a new role.`).optional(),
    bound_service_account_namespaces: f
      .list(`The Kubernetes namespaces of the service accounts: ${PATTERNS} Required for a new role.`)
      .optional(),
    audience: f.text('The required audience of tokens. Default: any audience.').optional(),
    alias_name_source: f
      .word<AliasNameSource>(
        'The part of the service account that identifies the caller: `serviceaccount_uid` (the default), or `serviceaccount_name`, which identifies the caller by `<namespace>/<name>`.',
      )
      .optional(),
    ...TOKEN_SETTINGS,
  },
  returns: {},
  exists: (tx, { name = '' }) => findRole(tx, name) !== undefined,
  run: (tx, input) => {
    const known = findRole(tx, input.name)
    const old = known ?? NEW_ROLE
    // The checks run in OpenBao's order, since only the first failure is reported.
    const role: OrchestratorRole = {
      token: changeTokenSettings(tx, old.token, input),
      bound_service_account_names: validatePatterns('bound_service_account_names', input, old),
      bound_service_account_namespaces: validatePatterns('bound_service_account_namespaces', input, old),
      audience: input.audience ?? old.audience,
      alias_name_source: parseAliasNameSource(input.alias_name_source, known),
    }
    tx.put(ORCHESTRATOR_ROLE, roleId(input.name), role)
    tx.event('auth_role.written', { name: roleId(input.name) })
    return undefined
  },
})

type BoundPatterns = Pick<OrchestratorRole, 'bound_service_account_names' | 'bound_service_account_namespaces'>

function validatePatterns(
  name: keyof BoundPatterns,
  input: { readonly [N in keyof BoundPatterns]: BoundPatterns[N] | undefined },
  old: BoundPatterns,
): readonly string[] {
  const patterns = input[name] ?? old[name]
  if (patterns.length === 0) throw invalid(`${name}: cannot be empty`)
  // Refuse an empty name, because it would match tokens without a service account.
  if (patterns.includes('')) throw invalid(`${name}: cannot contain an empty name`)
  if (patterns.length > 1 && patterns.includes('*')) throw invalid(`${name}: cannot mix "*" with values`)
  return patterns
}

/** For a new role, an empty string selects the default. For an existing role, an empty string is refused. */
function parseAliasNameSource(word: string | undefined, known: OrchestratorRole | undefined): AliasNameSource {
  const source = ALIAS_NAME_SOURCES.find((one) => one === word)
  if (source) return source
  if (word === undefined || (word === '' && !known)) return (known ?? NEW_ROLE).alias_name_source
  throw invalid(`alias_name_source: must be one of ${ALIAS_NAME_SOURCES.join(', ')}`)
}
