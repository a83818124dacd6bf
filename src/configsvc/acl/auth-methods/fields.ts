import { formatGoDuration } from '../../../core/base/go-duration.ts'
import { f } from '../../../core/field/fields.ts'
import { ECHOED_MEMBERS, RECORD_META_FIELDS, SCOPE_FIELDS, shownScope } from '../record-fields.ts'
import type { AuthMethodRecord } from '../records.ts'

export const METHOD_BODY = {
  Name: f
    .strictText(
      'The name: 1 to 128 letters, digits, "-" and "_". The names of two methods in a namespace must differ in more than case.',
    )
    .default(''),
  Type: f
    .strictText(
      '`jwt`, `kubernetes` or its other name `orchestrator`. The type of an existing method cannot change, so an update may omit it.',
    )
    .default(''),
  DisplayName: f.strictText('A human-readable name.').default(''),
  Description: f.strictText('A human-readable description.').default(''),
  MaxTokenTTL: f
    .goDuration(
      'The lifetime of tokens created by logins: 1m to 24h, such as `15m`, or a number of nanoseconds. Default: the tokens do not expire.',
    )
    .default(0),
  TokenLocality: f.strictText('Whether tokens created by logins are `local` or `global`; default `local`.').default(''),
  Config: f.object('The configuration, whose members depend on the type.').default({}),
  NamespaceRules: f
    .records(
      {
        BindNamespace: f.strictText('A namespace.').default(''),
        Selector: f.strictText('An expression that selects the logins to which the rule applies.').default(''),
      },
      'Namespace rules, which are not supported: the list must be empty.',
      { name: 'NamespaceRule' },
    )
    .default([]),
  ...SCOPE_FIELDS,
}

/** Members of responses that a request may contain, too, because clients send back what they have read. */
export const METHOD_ECHOED_MEMBERS = ECHOED_MEMBERS

const LISTED = {
  Name: f.text('The name, in upper and lower case as it was created.'),
  Type: f.text('The type, under the name from the last write: `kubernetes` and `orchestrator` are two names of one type.'),
  DisplayName: f.text('A human-readable name; absent if empty.').optional(),
  Description: f.text('A human-readable description; may be empty.'),
  MaxTokenTTL: f.text("A duration in Go's notation; absent if the tokens of logins do not expire.").optional(),
  TokenLocality: f.text('Whether tokens created by logins are `local` or `global`.'),
  ...RECORD_META_FIELDS,
}

export const METHODS_LISTED = f.records(LISTED, 'Auth methods without their configuration, sorted by name.', {
  name: 'AuthMethodEntry',
})

export const METHOD_SHOWN = f.record(
  { ...LISTED, Config: f.object('The configuration, whose members depend on the type.') },
  'An auth method.',
  {
    name: 'AuthMethod',
  },
)

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
