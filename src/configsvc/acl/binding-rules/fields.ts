import { f } from '../../../core/field/fields.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { BindingRuleRecord } from '../records.ts'

const VARIABLES = f.record(
  { name: f.strictText('The name that the template is filled in with.').default('') },
  'Variables of a templated policy, as text templates.',
  { name: 'BindVariables' },
)

/** In an update, absent members keep their values. */
export const RULE_BODY = {
  Description: f.strictText('A description for people.').optional(),
  AuthMethod: f.strictText('The auth method whose logins the rule applies to. It cannot change.').optional(),
  Selector: f
    .strictText('Which logins it matches: an expression over the fields that the method provides. Empty: all logins.')
    .optional(),
  BindType: f.strictText('`service`, `node`, `role`, `policy` or `templated-policy`.').optional(),
  BindName: f
    .strictText(
      'The name of what is granted, a text that may contain variables of the login; for `templated-policy` the name of the template.',
    )
    .optional(),
  BindVars: VARIABLES.optional(),
  ...SCOPE_FIELDS,
}

/** Members of answers that clients send back in updates. */
export const RULE_ECHOED_MEMBERS = ECHOED_MEMBERS

const SHOWN = {
  ID: f.text('UUID.'),
  Description: f.text('A description for people.'),
  AuthMethod: f.text('The auth method whose logins the rule applies to.'),
  Selector: f.text('Which logins it matches; empty: all logins.'),
  BindType: f.text('The kind of thing that is granted.'),
  BindName: f.text('The name of what is granted, with variables.'),
  BindVars: f
    .record(
      { name: f.text('The name that the template is filled in with.') },
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
