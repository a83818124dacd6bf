import { parseDuration } from '../../core/base/duration.ts'
import { invalid } from '../../core/base/errors.ts'
import { buildField, type Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'

const texts = f.texts(
  'The policies of the token. Default: the policies of the calling token. If the token is created with a role that has `allowed_policies`, these are the default.',
)

export const REQUEST = {
  // Accept an empty string, because command-line clients and forms send it for an empty list.
  policies: buildField<readonly string[]>({
    ...texts,
    coerce: (raw, name) => (raw === '' ? [] : texts.coerce(raw, name)),
  }).default([]),
  ttl: f
    .lateDuration(
      'The lifetime, up to the maximum lifetime of the mount. Default: the default lifetime of the mount; a root token does not expire.',
    )
    .optional(),
  explicit_max_ttl: f.lateDuration('The maximum lifetime including renewals, counted from the creation of the token.').optional(),
  period: f
    .lateDuration(
      'Makes the token periodic: each renewal grants this lifetime, and only `explicit_max_ttl` limits the total. Requires sudo.',
    )
    .optional(),
  num_uses: f.int('The maximum number of uses; 0 means no limit.').default(0),
  renewable: f.bool('Whether the token can be renewed.').default(true),
  type: f
    .word<'service' | 'batch'>(
      '`service`: a token with a stored record. `batch`: an encrypted token without a record. Default: `service`, or the type of the role.',
    )
    .default(''),
  display_name: f.text('A human-readable name, which lookups show with the prefix `token-`.').default(''),
  meta: f.pairs('Metadata that token lookups show.').optional(),
  no_default_policy: f.bool('If true, the token does not get the policy `default`.').default(false),
  no_parent: f
    .bool(
      'Whether the token is an orphan, which is not revoked together with the calling token. Requires sudo. With a role, its `orphan` applies instead.',
    )
    .default(false),
  id: f.text('The token itself, instead of a random one. Requires sudo. Allowed only in the root namespace.').default(''),
  entity_alias: f
    .text('The alias of the entity to which the token belongs. Allowed only with a role that allows this alias.')
    .default(''),
  lease: f.lateDuration('The former name of `ttl`.').deprecate().optional(),
}
export type TokenRequest = Parsed<typeof REQUEST>

/** The durations in the request, in seconds. A duration is 0 if the request does not contain it. */
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

/** Returns the display name of the token. In the requested name, all characters except letters, digits and `-` are replaced by `-`. */
export const tokenDisplayName = (asked: string): string => {
  const name = asked.replaceAll(/[^A-Za-z0-9-]/g, '-').replace(/-$/, '')
  return name === '' ? 'token' : `token-${name}`
}

/**
 * Visible ASCII characters, because clients send tokens in headers. `checkId` also refuses periods: generated tokens end in `.<namespace
 * id>`.
 */
const ID = /^[!-~]{1,256}$/

/** @throws KernelError 400 */
export function checkId(id: string): void {
  if (id.includes('.')) throw invalid("id: custom token ID cannot have a '.' in the value")
  if (!ID.test(id)) throw invalid('id: must consist of 1 to 256 visible ASCII characters')
}
