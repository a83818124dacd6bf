import { formatGoDuration } from '../../../core/base/go-duration.ts'
import { f } from '../../../core/field/fields.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { AuthMethodRecord } from '../records.ts'

export const METHOD_BODY = {
  Name: f.strictText('Unique in its namespace regardless of case: 1 to 128 letters, digits, "-" and "_".').default(''),
  Type: f.strictText('`kubernetes` (or `orchestrator`) or `jwt`. It cannot change; an update may leave it out.').default(''),
  DisplayName: f.strictText('A name for people.').default(''),
  Description: f.strictText('A description for people.').default(''),
  MaxTokenTTL: f
    .goDuration('How long the tokens of its logins live: 1m to 24h, as text or in nanoseconds. Default: until they are revoked.')
    .default(0),
  TokenLocality: f.strictText('Whether its tokens are `local` or `global`; default `local`.').default(''),
  Config: f.object('The configuration of the type.').default({}),
  NamespaceRules: f
    .records(
      { BindNamespace: f.strictText('A namespace.').default(''), Selector: f.strictText('Which logins it matches.').default('') },
      'Must be empty.',
      { name: 'NamespaceRule' },
    )
    .default([]),
  ...SCOPE_FIELDS,
}

/** Members of answers that clients send back in updates. */
export const METHOD_ECHOED_MEMBERS = ECHOED_MEMBERS

const LISTED = {
  Name: f.text('The name, in the case in which it was created.'),
  Type: f.text('The type, under the name that the creator used.'),
  DisplayName: f.text('A name for people; absent if empty.').optional(),
  Description: f.text('A description for people.'),
  MaxTokenTTL: f.text('A duration in the notation of Go; absent if its tokens do not expire.').optional(),
  TokenLocality: f.text('Whether its tokens are `local` or `global`.'),
  ...RECORD_META_FIELDS,
}

export const METHODS_LISTED = f.records(LISTED, 'Auth methods without their configuration, sorted by name.', {
  name: 'AuthMethodEntry',
})

export const METHOD_SHOWN = f.record({ ...LISTED, Config: f.object('The configuration of the type.') }, 'An auth method.', {
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
