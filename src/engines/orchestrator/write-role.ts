/** role/:name: creating and changing roles (spec document 1, "Orchestrator auth method"). */
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

const PATTERNS = 'names or patterns such as `prod-*`, or `*` alone for all.'

export const writeRole = operation({
  kind: 'write',
  verb: 'POST',
  path: '/role/:name',
  forwardable: true,
  summary: 'Makes a role, or changes what is named of one.',
  fields: {
    name: ROLE_NAME,
    bound_service_account_names: f.list(`Service accounts that may log in: ${PATTERNS} Needed for a new role.`).optional(),
    bound_service_account_namespaces: f.list(`Their namespaces: ${PATTERNS} Needed for a new role.`).optional(),
    audience: f.text('What a token must be meant for. Default: anything.').optional(),
    alias_name_source: f
      .word<AliasNameSource>(
        'What the caller is known by: `serviceaccount_uid`, the default, or `serviceaccount_name`, its namespace and name.',
      )
      .optional(),
    ...TOKEN_SETTINGS,
  },
  returns: {},
  exists: (tx, { name = '' }) => findRole(tx, name) !== undefined,
  run: (tx, input) => {
    const known = findRole(tx, input.name)
    const old = known ?? NEW_ROLE
    // The order of checks is the originals': the first fault is reported.
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
  // An empty name would fit tokens that name no service account.
  if (patterns.includes('')) throw invalid(`${name}: cannot contain an empty name`)
  if (patterns.length > 1 && patterns.includes('*')) throw invalid(`${name}: cannot mix "*" with values`)
  return patterns
}

/** An empty source is the default of a new role; no role can be changed to it. */
function parseAliasNameSource(word: string | undefined, known: OrchestratorRole | undefined): AliasNameSource {
  const source = ALIAS_NAME_SOURCES.find((one) => one === word)
  if (source) return source
  if (word === undefined || (word === '' && !known)) return (known ?? NEW_ROLE).alias_name_source
  throw invalid(`alias_name_source: must be one of ${ALIAS_NAME_SOURCES.join(', ')}`)
}
