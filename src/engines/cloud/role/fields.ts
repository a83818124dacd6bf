import { invalid } from '../../../core/base/errors.ts'
import { coerceDuration, typedTexts } from '../../../core/field/coercion.ts'
import { type Builder, buildField, type Parsed } from '../../../core/field/field.ts'
import { f } from '../../../core/field/fields.ts'
import type { DurationInput } from '../../../core/field/scalar-fields.ts'
import { checkedField } from '../../credentials/checked-field.ts'
import { CLOUD_CREDENTIAL_TYPES, type CloudCredentialType } from '../records.ts'
import { roleName } from './role-name.ts'

/** The maximum length of one parameter: far more than AWS allows. */
const MAX_PARAMETER_CHARACTERS = 65_536

const CONTROL_CHARACTER = /\p{Cc}/u

/** @throws KernelError 400 if the value is too long or contains control characters */
function validateText<T extends string | readonly string[]>(value: T, name: string): T {
  const parts: readonly string[] = typeof value === 'string' ? [value] : value
  if (parts.reduce((sum, part) => sum + part.length, 0) > MAX_PARAMETER_CHARACTERS)
    throw invalid(`${name}: must have at most ${MAX_PARAMETER_CHARACTERS} characters in total`)
  if (parts.some((part) => CONTROL_CHARACTER.test(part))) throw invalid(`${name}: must not contain control characters`)
  return value
}

/** A field for a list of strings. Keeps the order, empty strings and duplicates. */
const textListField = (description: string): Builder<readonly string[]> =>
  checkedField(f.list(description), (value, name) => validateText(value, name))

type Tags = Readonly<Record<string, string>>

/** @throws KernelError 400 if the key of a tag is empty, or if the tags are too long or contain control characters */
function validateTags(tags: Tags, name: string): Tags {
  validateText(Object.entries(tags).flat(), name)
  if (Object.hasOwn(tags, '')) throw invalid(`${name}: the key of a tag must not be empty`)
  return { ...tags }
}

/** A field for tags: a map, or a list of strings `key=value`. If a key occurs several times in the list, the last value is used. */
function tagsField(description: string): Builder<Tags, Tags | readonly string[]> {
  const pairs = f.pairs(description)
  const fromTyped = (value: unknown, name: string): Tags =>
    Array.isArray(value) ? (pairs.coerce(typedTexts(value, name), name) as Tags) : pairs.fromTyped(value, name)
  return checkedField<Tags, Tags | readonly string[]>({ ...pairs, fromTyped }, validateTags)
}

/** A field for a duration in whole seconds. Fractions of a second are truncated. */
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
      `The type of the credentials: ${CLOUD_CREDENTIAL_TYPES.map((type) => `\`${type}\``).join(', ')}. Required for a new role.`,
    )
    .optional(),
  role_arns: textListField(
    'ARNs of IAM roles that may be assumed. Required for `assumed_role`, and not allowed for other types.',
  ).optional(),
  policy_arns: textListField(
    'ARNs of managed policies. They are attached to new users, and limit the rights of temporary credentials.',
  ).optional(),
  policy_document: f
    .text('A policy document in JSON. It becomes the inline policy of new users, and limits the rights of temporary credentials.')
    .optional(),
  iam_groups: textListField(
    'IAM groups. Users become members of the groups. The rights of temporary credentials are limited by the policies of the groups.',
  ).optional(),
  iam_tags: tagsField('Tags of users: a map, or strings `key=value`.').optional(),
  default_sts_ttl: secondsField(
    'The default lifetime of temporary credentials in seconds. 0 means 3,600. Not allowed for `iam_user`.',
  ).optional(),
  max_sts_ttl: secondsField(
    'The maximum lifetime of temporary credentials in seconds. 0 means the maximum of the mount. Not allowed for `iam_user`.',
  ).optional(),
  user_path: f.text('The IAM path of users. Default: `/`. Only for `iam_user`.').optional(),
  permissions_boundary_arn: f
    .text('The ARN of a policy that is the permissions boundary of users. Only for `iam_user`.')
    .optional(),
  policy: f
    .text('A policy document in JSON for users and federation tokens. The request replaces the whole role.')
    .deprecate()
    .optional(),
  arn: f
    .text('The ARN of an IAM role to assume, or of a managed policy for users. The request replaces the whole role.')
    .deprecate()
    .optional(),
}

export type RoleInput = Parsed<typeof ROLE_FIELDS>
