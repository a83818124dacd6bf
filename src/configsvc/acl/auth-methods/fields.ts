/**
 * Auth methods, as they are written and shown.
 */
import { formatGoDuration } from '../../../core/base/go-duration.ts'
import { f } from '../../../core/field/fields.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { AuthMethodRecord } from '../records.ts'

export const METHOD_BODY = {
  Name: f.strictText('Unique in its namespace, in any case: 1 to 128 letters, digits, "-" and "_".').default(''),
  Type: f.strictText('kubernetes (or orchestrator) or jwt. It cannot change; absent in an update it stays.').default(''),
  DisplayName: f.strictText('For people.').default(''),
  Description: f.strictText('For people.').default(''),
  MaxTokenTTL: f
    .goDuration(
      'How long the tokens of its logins live: 1m to 24h, as text or in nanoseconds; without it until they are revoked.',
    )
    .default(0),
  TokenLocality: f.strictText('Whether its tokens are `local`, the default, or `global`.').default(''),
  Config: f.object('What belongs to the type.').default({}),
  NamespaceRules: f
    .records(
      { BindNamespace: f.strictText('A namespace.').default(''), Selector: f.strictText('Whom it matches.').default('') },
      'To be empty.',
      { name: 'NamespaceRule' },
    )
    .default([]),
  ...SCOPE_FIELDS,
}

/** Clients send back what they have read. */
export const METHOD_ECHOED_MEMBERS = ECHOED_MEMBERS

const LISTED = {
  Name: f.text('The name, as it was spelled.'),
  Type: f.text('The type, by the name that it was given under.'),
  DisplayName: f.text('For people; absent if empty.').optional(),
  Description: f.text('For people.'),
  MaxTokenTTL: f.text('A duration of Go; absent: its tokens do not expire.').optional(),
  TokenLocality: f.text('`local` or `global`.'),
  ...RECORD_META_FIELDS,
}

export const METHODS_LISTED = f.records(LISTED, 'Auth methods without their configuration, in order of their names.', {
  name: 'AuthMethodEntry',
})

export const METHOD_SHOWN = f.record({ ...LISTED, Config: f.object('What belongs to the type.') }, 'An auth method.', {
  name: 'AuthMethod',
})

export function listedMethod(method: AuthMethodRecord) {
  const { Name, Type, DisplayName, Description, MaxTokenTTL, TokenLocality, CreateIndex, ModifyIndex } = method
  return {
    Name,
    Type,
    ...(DisplayName === '' ? {} : { DisplayName }),
    Description,
    ...(MaxTokenTTL === '0' ? {} : { MaxTokenTTL: formatGoDuration(BigInt(MaxTokenTTL)) }),
    TokenLocality,
    CreateIndex,
    ModifyIndex,
    ...shownScope(method),
  }
}
