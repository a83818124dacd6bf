/** Result fields for the token settings of a role. */
import type { TokenSettings } from '../../contract/token-settings.ts'
import type { Result } from '../../field/field.ts'
import { f } from '../../field/fields.ts'

const texts = (description: string) => f.json<readonly string[]>(description, { type: 'array' })

export const SHOWN_SETTINGS = {
  token_ttl: f.int("The initial TTL of tokens, and the TTL that a renewal grants, in seconds; 0 means the mount's default."),
  token_max_ttl: f.int("The maximum lifetime through renewals, in seconds; 0 means the mount's maximum."),
  token_explicit_max_ttl: f.int('A maximum lifetime that is fixed when a token is created, in seconds; 0 means none.'),
  token_period: f.int(
    'The period in seconds to which each renewal sets the TTL, without a maximum lifetime; 0 if tokens are not periodic.',
  ),
  token_policies: texts('Policies of the tokens.'),
  token_bound_cidrs: texts('Networks from which logins and uses of the tokens are allowed.'),
  token_no_default_policy: f.bool('If true, the tokens do not have the policy `default`.'),
  token_num_uses: f.int('The maximum number of uses of a token; 0 means no limit.'),
  token_type: f.json<TokenSettings['token_type']>("`service`, `batch`, or `default` for the mount's default.", {
    type: 'string',
  }),
  policies: texts('The former name of `token_policies`.').deprecate(),
  ttl: f.int('The former name of `token_ttl`.').deprecate(),
  max_ttl: f.int('The former name of `token_max_ttl`.').deprecate(),
  period: f.int('The former name of `token_period`.').deprecate(),
  num_uses: f.int('The former name of `token_num_uses`, if it was set under that name.').deprecate().optional(),
  bound_cidrs: texts('The former name of `token_bound_cidrs`, if it was set under that name.').deprecate().optional(),
}

/** Returns the settings under their current and their former names, as Vault does. */
export function shownSettings({ old_names, ...settings }: TokenSettings): Result<typeof SHOWN_SETTINGS> {
  const { token_policies, token_bound_cidrs, token_num_uses } = settings
  return {
    ...settings,
    token_policies: [...token_policies],
    token_bound_cidrs: [...token_bound_cidrs],
    policies: [...token_policies],
    ttl: settings.token_ttl,
    max_ttl: settings.token_max_ttl,
    period: settings.token_period,
    ...(old_names.includes('num_uses') && token_num_uses > 0 ? { num_uses: token_num_uses } : {}),
    ...(old_names.includes('bound_cidrs') && token_bound_cidrs.length > 0 ? { bound_cidrs: [...token_bound_cidrs] } : {}),
  }
}
