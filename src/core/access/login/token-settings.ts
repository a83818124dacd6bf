/** The token settings of a role, the same for all auth methods, as in Vault. */
import { invalid } from '../../base/errors.ts'
import { effectiveTtl } from '../../contract/mount-record.ts'
import type { OldTokenSetting, TokenSettings } from '../../contract/token-settings.ts'
import type { Tx } from '../../contract/tx.ts'
import type { Parsed } from '../../field/field.ts'
import { f } from '../../field/fields.ts'
import { checkCidr } from '../cidr.ts'
import { normalizePolicies } from '../token/token.ts'

/** Fields of the operation that writes a role. Omitted settings stay unchanged. */
export const TOKEN_SETTINGS = {
  token_ttl: f.duration("The initial TTL of tokens, and the TTL that a renewal grants. Default: the mount's.").optional(),
  token_max_ttl: f
    .duration("The maximum lifetime through renewals, counted from the creation of a token. Default: the mount's.")
    .optional(),
  token_explicit_max_ttl: f
    .duration('A maximum lifetime that is fixed when a token is created and does not change with the role. Default: none.')
    .optional(),
  token_period: f
    .duration('Makes tokens periodic: each renewal sets the TTL to this period, and there is no maximum lifetime. Default: none.')
    .optional(),
  token_policies: f.list('Policies of the tokens.').optional(),
  token_bound_cidrs: f.list('Networks from which logins and uses of the tokens are allowed.').optional(),
  token_no_default_policy: f.bool('If true, the tokens do not have the policy `default`.').optional(),
  token_num_uses: f
    .int('The maximum number of uses of a token; 0 means no limit. Must be 0 for tokens that create other tokens.')
    .optional(),
  token_type: f.word<TokenSettings['token_type']>("`service`, `batch`, or `default` for the mount's default.").optional(),
  policies: f.list('The former name of `token_policies`.').deprecate().optional(),
  ttl: f.duration('The former name of `token_ttl`.').deprecate().optional(),
  max_ttl: f.duration('The former name of `token_max_ttl`.').deprecate().optional(),
  period: f.duration('The former name of `token_period`.').deprecate().optional(),
  num_uses: f.int('The former name of `token_num_uses`.').deprecate().optional(),
  bound_cidrs: f.list('The former name of `token_bound_cidrs`.').deprecate().optional(),
}

type Input = Parsed<typeof TOKEN_SETTINGS>

export const NO_TOKEN_SETTINGS: TokenSettings = {
  token_ttl: 0,
  token_max_ttl: 0,
  token_explicit_max_ttl: 0,
  token_period: 0,
  token_policies: [],
  token_bound_cidrs: [],
  token_no_default_policy: false,
  token_num_uses: 0,
  token_type: 'default',
  old_names: [],
}

/** Returns `old` with the changes in `input`. A value under a new name overrides the value under the former name. @throws KernelError 400 */
export function changeTokenSettings(tx: Tx, old: TokenSettings, input: Input): TokenSettings {
  const policies = input.policies && normalizePolicies(input.policies)
  const networks = input.token_bound_cidrs ?? input.bound_cidrs
  const changed: TokenSettings = {
    token_ttl: input.token_ttl ?? input.ttl ?? old.token_ttl,
    token_max_ttl: input.token_max_ttl ?? input.max_ttl ?? old.token_max_ttl,
    token_explicit_max_ttl: input.token_explicit_max_ttl ?? old.token_explicit_max_ttl,
    token_period: input.token_period ?? input.period ?? old.token_period,
    token_policies: input.token_policies ?? policies ?? old.token_policies,
    token_bound_cidrs: networks?.map((network) => networkOf(network, sentName(input, 'bound_cidrs'))) ?? old.token_bound_cidrs,
    token_no_default_policy: input.token_no_default_policy ?? old.token_no_default_policy,
    token_num_uses: input.token_num_uses ?? input.num_uses ?? old.token_num_uses,
    token_type: input.token_type === undefined ? old.token_type : typeNamed(input.token_type),
    old_names: OLD_NAMES.filter(
      (name) => input[name] !== undefined || (input[`token_${name}`] === undefined && old.old_names.includes(name)),
    ),
  }
  check(tx, changed, input)
  return changed
}

type Renamed = 'ttl' | 'max_ttl' | 'period' | 'num_uses' | 'bound_cidrs'

/** The name under which the caller sent a setting, for messages: the old name only if the new name was not sent. */
const sentName = (input: Input, old: Renamed): string =>
  input[old] !== undefined && input[`token_${old}`] === undefined ? old : `token_${old}`

const OLD_NAMES: readonly OldTokenSetting[] = ['num_uses', 'bound_cidrs']

/** A single address is shown without its prefix length. */
function networkOf(text: string, name: string): string {
  checkCidr(text, name)
  return text.replace(text.includes(':') ? /\/128$/ : /\/32$/, '')
}

function typeNamed(word: string): TokenSettings['token_type'] {
  if (word === '' || word === 'default') return 'default'
  if (word === 'service' || word === 'batch') return word
  throw invalid("token_type: invalid 'token_type' value; must be service, batch or default")
}

function check(tx: Tx, settings: TokenSettings, input: Input): void {
  const [ttl, maxTtl, period, uses] = (['ttl', 'max_ttl', 'period', 'num_uses'] as const).map((old) => sentName(input, old))
  const { token_ttl, token_max_ttl, token_period, token_num_uses, token_type } = settings
  const { max } = effectiveTtl(tx.call.mount)
  if (token_num_uses < 0) throw invalid(`${uses}: '${uses}' cannot be negative`)
  if (token_type === 'batch' && token_period > 0)
    throw invalid("token_type: cannot be 'batch' when set to generate periodic tokens")
  if (token_type === 'batch' && token_num_uses > 0)
    throw invalid("token_type: cannot be 'batch' when set to generate tokens with limited use count")
  if (token_period > max) throw invalid(`${period}: must not exceed the mount's maximum lease TTL of ${max} seconds`)
  if (token_max_ttl > 0 && token_ttl > token_max_ttl) throw invalid(`${ttl}: cannot be greater than '${maxTtl}'`)
  if (token_max_ttl > max) tx.warn(`${maxTtl}: exceeds the mount's maximum lease TTL, which will limit the lifetime of tokens`)
}
