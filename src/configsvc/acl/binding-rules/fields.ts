import { f } from '../../../core/field/fields.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { BindingRuleRecord } from '../records.ts'

const VARIABLES = f.record(
  { name: f.strictText('The name that replaces the placeholder in the template.').default('') },
  'Variables of a templated policy, as text templates.',
  { name: 'BindVariables' },
)

/** In an update, absent members keep their values. */
export const RULE_BODY = {
  Description: f.strictText('A human-readable description.').optional(),
  AuthMethod: f.strictText('The auth method to whose logins the rule applies. An update cannot change it.').optional(),
  Selector: f
    .strictText(
      'An expression over the fields that the method provides: the rule applies to logins that match it. Empty: all logins.',
    )
    .optional(),
  BindType: f.strictText('The kind of the granted object: `service`, `node`, `role`, `policy` or `templated-policy`.').optional(),
  BindName: f
    .strictText(
      'The name of the granted object; may contain variables of the login. For `templated-policy`: the name of the template.',
    )
    .optional(),
  BindVars: VARIABLES.optional(),
  ...SCOPE_FIELDS,
}

/** Members that the service sets in responses. Requests may contain them too, because clients send back what they have read. */
export const RULE_ECHOED_MEMBERS = ECHOED_MEMBERS

const SHOWN = {
  ID: f.text('UUID.'),
  Description: f.text('A human-readable description.'),
  AuthMethod: f.text('The auth method to whose logins the rule applies.'),
  Selector: f.text('An expression that selects the logins to which the rule applies; empty: all logins.'),
  BindType: f.text('The kind of the granted object.'),
  BindName: f.text('The name of the granted object; may contain variables of the login.'),
  BindVars: f
    .record(
      { name: f.text('The name that replaces the placeholder in the template.') },
      'Variables of a templated policy; absent if it has no variables.',
      {
        name: 'BindVariables',
      },
    )
    .optional(),
  ...RECORD_META_FIELDS,
}

export const RULE_SHOWN = f.record(SHOWN, 'A binding rule.', { name: 'BindingRule' })

export const RULES_SHOWN = f.records(SHOWN, 'Binding rules, sorted by ID.', { name: 'BindingRule' })

export function shownRule(rule: BindingRuleRecord) {
  const { ID, Description, AuthMethod, Selector, BindType, BindName, BindVars, CreateIndex, ModifyIndex } = rule
  return {
    ID,
    Description,
    AuthMethod: AuthMethod.Name,
    Selector,
    BindType,
    BindName,
    ...(BindVars ? { BindVars: { name: BindVars.name ?? '' } } : {}),
    CreateIndex,
    ModifyIndex,
    ...shownScope(rule),
  }
}
