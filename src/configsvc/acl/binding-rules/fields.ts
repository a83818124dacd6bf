/**
 * Binding rules, as they are written and shown.
 */
import { f } from '../../../core/field/fields.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { BindingRuleRecord } from '../records.ts'

const VARIABLES = f.record(
  { name: f.strictText('The name that the template is filled in with.').default('') },
  'Templates of texts.',
  { name: 'BindVariables' },
)

/** What a rule holds. In an update, what is absent stays. */
export const RULE_BODY = {
  Description: f.strictText('For people.').optional(),
  AuthMethod: f.strictText('The auth method whose logins it is for. It cannot change.').optional(),
  Selector: f.strictText('Whom it matches: an expression over what the method knows of a caller. Empty: everybody.').optional(),
  BindType: f.strictText('service, node, role, policy or templated-policy.').optional(),
  BindName: f
    .strictText('The name of what a login gets, with variables as templates have them; of a template the name itself.')
    .optional(),
  BindVars: VARIABLES.optional(),
  ...SCOPE_FIELDS,
}

/** Clients send back what they have read. */
export const RULE_ECHOED_MEMBERS = ECHOED_MEMBERS

const SHOWN = {
  ID: f.text('UUID.'),
  Description: f.text('For people.'),
  AuthMethod: f.text('The auth method.'),
  Selector: f.text('Whom it matches; empty: everybody.'),
  BindType: f.text('What a login gets.'),
  BindName: f.text('The name of that, with variables.'),
  BindVars: f
    .record({ name: f.text('The name that the template is filled in with.') }, 'Absent where there are none.', {
      name: 'BindVariables',
    })
    .optional(),
  ...RECORD_META_FIELDS,
}

export const RULE_SHOWN = f.record(SHOWN, 'A binding rule.', { name: 'BindingRule' })

export const RULES_SHOWN = f.records(SHOWN, 'Binding rules, in order of their IDs.', { name: 'BindingRule' })

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
