/**
 * What a role is written with.
 */
import { invalid } from '../../../core/base/errors.ts'
import { coerceDuration, typedTexts } from '../../../core/field/coercion.ts'
import { type Builder, buildField, type Parsed } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import type { DurationInput } from '../../../core/field/scalar-fields.ts'
import { CLOUD_CREDENTIAL_TYPES, type CloudCredentialType } from '../records.ts'
import { roleName } from './role-name.ts'

/** Characters of one parameter: far more than the cloud takes. */
const MAX_PARAMETER_CHARACTERS = 65_536

const CONTROL_CHARACTER = /\p{Cc}/u

/** @throws KernelError 400 */
function validateText<T extends string | readonly string[]>(value: T, name: string): T {
  const parts: readonly string[] = typeof value === 'string' ? [value] : value
  if (parts.reduce((sum, part) => sum + part.length, 0) > MAX_PARAMETER_CHARACTERS)
    throw invalid(`${name}: is longer than ${MAX_PARAMETER_CHARACTERS} characters`)
  if (parts.some((part) => CONTROL_CHARACTER.test(part))) throw invalid(`${name}: must not hold control characters`)
  return value
}

/** Texts in the order that they were given in; empty ones and doubles stay. */
function textListField(description: string): Builder<readonly string[]> {
  const list = f.list(description)
  return buildField({
    ...list,
    fromTyped: (value, name) => validateText(list.fromTyped(value, name), name),
    strict: list.strict,
    decode: (value, name) => validateText(list.decode(value, name), name),
  })
}

type Tags = Readonly<Record<string, string>>

/** @throws KernelError 400 */
function validateTags(tags: Tags, name: string): Tags {
  validateText(Object.entries(tags).flat(), name)
  if (Object.hasOwn(tags, '')) throw invalid(`${name}: a tag must have a key`)
  return { ...tags }
}

/** Names with values, or texts `name=value`; of tags with one name the last one counts. */
function tagsField(description: string): Builder<Tags, Tags | readonly string[]> {
  const pairs = f.pairs(description)
  return buildField({
    ...pairs,
    fromTyped: (value, name) =>
      validateTags(
        (Array.isArray(value) ? pairs.coerce(typedTexts(value, name), name) : pairs.fromTyped(value, name)) as Tags,
        name,
      ),
    strict: pairs.strict,
    decode: (value, name) => validateTags(value as Tags, name),
  })
}

/** Seconds; a fraction of one in a number is cut off, as it is in a text. */
function secondsField(description: string): Builder<number, DurationInput> {
  const duration = f.duration(description)
  return buildField({
    ...duration,
    coerce: (raw, name) => {
      const given = coerceDuration(raw, name)
      return typeof given === 'number' ? Math.trunc(given) : given
    },
  })
}

export const ROLE_FIELDS = {
  name: roleName(),
  credential_type: f
    .word<CloudCredentialType>(
      `What the role gives out: ${CLOUD_CREDENTIAL_TYPES.map((type) => `\`${type}\``).join(', ')}. Needed for a new role.`,
    )
    .optional(),
  role_arns: textListField('ARNs of roles that may be assumed. Needed for `assumed_role`, and for no other type.').optional(),
  policy_arns: textListField(
    'ARNs of managed policies: attached to a user; a session has no more rights than they give.',
  ).optional(),
  policy_document: f.text('A policy as JSON: of a user its own; a session has no more rights than it gives.').optional(),
  iam_groups: textListField('Groups that a user joins, or whose policies hold for a session as well.').optional(),
  iam_tags: tagsField('Tags of users: a map, or texts `key=value`.').optional(),
  default_sts_ttl: secondsField(
    'Seconds that a session lasts where the request names none; 0: 3,600. Not for `iam_user`.',
  ).optional(),
  max_sts_ttl: secondsField('Seconds that a session lasts at most; 0: as the mount says. Not for `iam_user`.').optional(),
  user_path: f.text('The path of users in IAM. Default `/`. For `iam_user` alone.').optional(),
  permissions_boundary_arn: f.text('The ARN of the policy that bounds users. For `iam_user` alone.').optional(),
  policy: f.text('A policy as JSON, for users and federation tokens. Replaces the whole role.').deprecate().optional(),
  arn: f.text('The ARN of a role to assume, or of a policy for users. Replaces the whole role.').deprecate().optional(),
}

export type RoleInput = Parsed<typeof ROLE_FIELDS>
