/**
 * How the settings of tokens are shown with a role.
 */
import type { TokenSettings } from '../../contract/token-settings.ts'
import type { Result } from '../../field/field.ts'
import { f } from '../../field/fields.ts'

const texts = (description: string) => f.json<readonly string[]>(description, { type: 'array' })

export const SHOWN_SETTINGS = {
  token_ttl: f.int('Seconds that tokens live at first, and with every renewal; 0 is as the mount says.'),
  token_max_ttl: f.int('Seconds beyond which no renewal takes them; 0 is as the mount says.'),
  token_explicit_max_ttl: f.int('The same as a bound that tokens keep; 0 none.'),
  token_period: f.int('Seconds that every renewal gives them, without end; 0 none.'),
  token_policies: texts('Their policies.'),
  token_bound_cidrs: texts('Networks from which alone one can log in, and the tokens are good.'),
  token_no_default_policy: f.bool('Whether they go without the policy `default`.'),
  token_num_uses: f.int('How many requests one is good for; 0 is without limit.'),
  token_type: f.json<TokenSettings['token_type']>('`service`, `batch`, or `default`: as the mount says.', { type: 'string' }),
  policies: texts('The old name of `token_policies`.').deprecate(),
  ttl: f.int('The old name of `token_ttl`.').deprecate(),
  max_ttl: f.int('The old name of `token_max_ttl`.').deprecate(),
  period: f.int('The old name of `token_period`.').deprecate(),
  num_uses: f.int('The old name of `token_num_uses`, where that was set by it.').deprecate().optional(),
  bound_cidrs: texts('The old name of `token_bound_cidrs`, where they were set by it.').deprecate().optional(),
}

/** Settings by both names, as the documents show them (spec document 1, "Orchestrator auth method"). */
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
