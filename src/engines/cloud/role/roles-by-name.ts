import { notFound } from '../../../core/base/errors.ts'
import { f } from '../../../core/field/fields.ts'
import { deleteByName, listNames, readByName, STRING_LIST } from '../../credentials/named-records.ts'
import { CLOUD_ROLE, type CloudCredentialType } from '../records.ts'
import { roleName } from './role-name.ts'

const texts = (description: string) => f.json<readonly string[] | null>(description, { ...STRING_LIST, nullable: true })

/** @throws KernelError 404 if the role does not exist. */
export const readRole = readByName({
  path: '/roles/:name',
  summary: 'Reads a role. Lists and tags that were never given are null.',
  records: CLOUD_ROLE,
  name: roleName(),
  returns: {
    credential_types: f.json<readonly CloudCredentialType[]>(
      'The types of the credentials. A role that was written with the legacy parameter `policy` has two.',
      STRING_LIST,
    ),
    credential_type: f.text('The credential types in one string, separated by commas.'),
    role_arns: texts('ARNs of IAM roles that may be assumed.'),
    policy_arns: texts('ARNs of managed policies.'),
    policy_document: f.text(
      'The policy document in JSON, without white space between tokens; empty if the role has no policy document.',
    ),
    iam_groups: texts('Names of IAM groups.'),
    iam_tags: f.json<Readonly<Record<string, string>> | null>('Tags of users.', {
      type: 'object',
      additionalProperties: { type: 'string' },
      nullable: true,
    }),
    default_sts_ttl: f.int('The default lifetime of temporary credentials in seconds; 0 means 3,600.'),
    max_sts_ttl: f.int('The maximum lifetime of temporary credentials in seconds; 0 means the maximum of the mount.'),
    user_path: f.text('The IAM path of users; empty means `/`.'),
    permissions_boundary_arn: f.text('The ARN of the users’ permissions boundary; empty if the role has no boundary.'),
    invalid_data: f.text('The stored text of a legacy role that could not be parsed.').optional(),
  },
  shown: ({ legacy: _path, ...role }) => ({ ...role, credential_type: role.credential_types.join(',') }),
})

/** @throws no errors of its own. */
export const listRoles = listNames('/roles', 'roles', CLOUD_ROLE)

/** @throws KernelError 404 if the role does not exist. */
export const deleteRole = deleteByName({
  path: '/roles/:name',
  summary: 'Deletes a role. Credentials that it has issued stay valid until their leases end.',
  records: CLOUD_ROLE,
  name: roleName(),
  event: 'role.deleted',
  onMissing(name) {
    throw notFound(`there is no role named ${name.slice(0, 200)}`)
  },
})
