import { parseDuration } from '../../core/base/duration.ts'
import { invalid } from '../../core/base/errors.ts'
import { buildField, type Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'

const texts = f.texts("Policies. Without any the token gets its maker's, or those of the role.")

export const REQUEST = {
  // Command-line clients and forms send an empty string for an empty list.
  policies: buildField<readonly string[]>({
    ...texts,
    coerce: (raw, name) => (raw === '' ? [] : texts.coerce(raw, name)),
  }).default([]),
  ttl: f
    .lateDuration(
      "How long it lives, at most as long as the mount lets it. Default: as the mount says; a root token's is without end.",
    )
    .optional(),
  explicit_max_ttl: f.lateDuration('The maximum lifetime including renewals, counted from the creation.').optional(),
  period: f
    .lateDuration('Makes the token periodic: the lifetime that each renewal grants, without a maximum. Requires sudo.')
    .optional(),
  num_uses: f.int('The maximum number of uses; 0 means no limit.').default(0),
  renewable: f.bool('Whether the token can be renewed.').default(true),
  type: f
    .word<'service' | 'batch'>(
      '`service`: a token with a stored record. `batch`: an encrypted token without a record. Default: `service`, or the type of the role.',
    )
    .default(''),
  display_name: f.text('A human-readable name, which is shown after `token-`.').default(''),
  meta: f.pairs('Metadata, which lookups show.').optional(),
  no_default_policy: f.bool('If true, the token does not get the policy `default`.').default(false),
  no_parent: f
    .bool(
      'Whether the token is an orphan, which is not revoked together with a parent. Requires sudo. With a role, the role decides.',
    )
    .default(false),
  id: f.text('A token of your choice, instead of a random one. Requires sudo; in the root namespace only.').default(''),
  entity_alias: f.text("The alias of the token's entity. Only with a role that allows it.").default(''),
  lease: f.lateDuration('The former name of `ttl`.').deprecate().optional(),
}
export type TokenRequest = Parsed<typeof REQUEST>

/** Seconds; 0 if the request names none. */
export interface AskedTimes {
  readonly ttl: number
  readonly explicitMax: number
  readonly period: number
}

/** @throws KernelError 400 */
export function readTimes({ ttl, lease, explicit_max_ttl, period }: TokenRequest): AskedTimes {
  return {
    ttl: ttl === undefined ? parseDuration(lease ?? 0, 'lease') : parseDuration(ttl, 'ttl'),
    explicitMax: parseDuration(explicit_max_ttl ?? 0, 'explicit_max_ttl'),
    period: parseDuration(period ?? 0, 'period'),
  }
}

/** The display name of the token: only letters, digits and `-` of the requested name are kept. */
export const tokenDisplayName = (asked: string): string => {
  const name = asked.replaceAll(/[^A-Za-z0-9-]/g, '-').replace(/-$/, '')
  return name === '' ? 'token' : `token-${name}`
}

/** Characters that a header may contain. A period is refused, because it separates the namespace in generated tokens. */
const ID = /^[!-~]{1,256}$/

/** @throws KernelError 400 */
export function checkId(id: string): void {
  if (id.includes('.')) throw invalid("id: custom token ID cannot have a '.' in the value")
  if (!ID.test(id)) throw invalid('id: must have at most 256 visible ASCII characters')
}
