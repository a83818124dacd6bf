import { f } from '../../../core/field/fields.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import type { ConfigTx } from '../../call.ts'
import { typedConfigOf } from '../auth-methods/content.ts'
import { findMethod } from '../auth-methods/find-method.ts'
import { GRANTS_SHOWN, ROLE_LINKS_SHOWN } from '../grants/fields.ts'
import { showGrants, unlessEmpty } from '../grants/grants.ts'
import { POLICY_LINKS, ROLE_LINKS, showLinks } from '../grants/links.ts'
import { idOfName } from '../named.ts'
import type { BindingRuleRecord } from '../records.ts'
import { explainRules, type RuleEvaluation } from './binder.ts'
import type { RuleBinding } from './binding.ts'
import { collectGrants, grantsNothing } from './collect.ts'
import { rulesOf } from './method-rules.ts'
import { selectorShape } from './selector.ts'

const RULE_EVALUATION = {
  ID: f.text('The UUID of the rule.'),
  Matches: f.bool('Whether the rule matches the identity.'),
  Reason: f.text('The comparisons in the Selector that decided whether the rule matches.'),
  BindType: f.text('The kind of object that the rule grants.'),
  Name: f
    .text(
      'The name of the granted object, computed for this identity; absent if the rule does not match or the computed name is invalid.',
    )
    .optional(),
  Variables: f
    .record(
      { name: f.text('The name that replaces the placeholder in the template.').optional() },
      'The computed variables of a template.',
      {
        name: 'TemplateVariables',
      },
    )
    .optional(),
  Ignored: f.text('Why the rule grants nothing although it matches: the role or policy does not exist.').optional(),
  Refusal: f.text('Why the login fails at this rule: the computed name is invalid.').optional(),
}

export const EVALUATION = f.record(
  {
    Allowed: f.bool('Whether a login with this identity would get a token.'),
    ...GRANTS_SHOWN,
    Roles: ROLE_LINKS_SHOWN,
    Rules: f.records(RULE_EVALUATION, 'All rules of the auth method, sorted by ID.', { name: 'BindingVerdict' }),
  },
  'The grants that a login with this identity would get, and the result of each rule. If `Allowed` is false, the login would fail.',
  { name: 'BindingEvaluation' },
)

/**
 * Returns what a login with this identity would get, or undefined if the auth method does not exist.
 * @throws KernelError 400 for an identity that the method cannot produce.
 */
export function evaluateRules(tx: ConfigTx, namespace: string, name: string, identity: object) {
  const method = findMethod(tx, namespace, name)
  if (!method) return undefined
  const { type, config } = typedConfigOf(method)
  const supposed = type.hypotheticalIdentity(config, identity)
  const rules = rulesOf(tx, method)
  const verdicts = tx.steps('verdicts', () => explainRules(rules, selectorShape(type.selectable(config)), supposed))
  const refused = verdicts.some(({ refusal }) => refusal !== undefined)
  const collected = collectGrants(tx, namespace, refused ? [] : verdicts.flatMap(({ binding }) => binding ?? []))
  const ignored = loadAll(verdicts, ({ binding }) => binding && isMissing(tx, namespace, binding))
  return {
    Allowed: !grantsNothing(collected),
    ...showGrants(tx, namespace, collected),
    ...unlessEmpty('Roles', showLinks(tx, ROLE_LINKS, namespace, collected.Roles)),
    Rules: rules.map((rule, i) => shownEvaluation(rule, verdicts[i] as RuleEvaluation, ignored[i] === true)),
  }
}

const LINK_KINDS = { role: ROLE_LINKS, policy: POLICY_LINKS }

const isMissing = (tx: ConfigTx, namespace: string, { type, name }: RuleBinding): boolean =>
  (type === 'role' || type === 'policy') && idOfName(tx, LINK_KINDS[type].names, namespace, name) === undefined

function shownEvaluation(
  { ID, BindType }: BindingRuleRecord,
  { matches, reason, binding, refusal }: RuleEvaluation,
  ignored: boolean,
) {
  return {
    ID,
    Matches: matches,
    Reason: reason,
    BindType,
    ...(binding && { Name: binding.name }),
    ...(binding?.variables && { Variables: binding.variables }),
    ...(ignored && { Ignored: `there is no ${BindType} of this name` }),
    ...(refusal !== undefined && { Refusal: refusal }),
  }
}
