import { notFound } from '../../../core/base/errors.ts'
import { PAGE_FIELDS, pageOptions } from '../../../core/contract/list-page.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { CLOUD_ROLE, type CloudCredentialType } from '../records.ts'
import { roleName } from './role-name.ts'

const NAME = { name: roleName() }

const STRING_LIST = { type: 'array', items: { type: 'string' } }

const texts = (description: string) => f.json<readonly string[] | null>(description, { ...STRING_LIST, nullable: true })

export const readRole = operation({
  kind: 'read',
  verb: 'GET',
  path: '/roles/:name',
  summary: 'Reads a role. Lists and tags that were never given are null.',
  fields: NAME,
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
  run: (tx, { name }) => {
    const role = tx.get(CLOUD_ROLE, name)
    if (!role) return undefined
    const { legacy: _path, ...shown } = role
    return { ...shown, credential_type: role.credential_types.join(',') }
  },
})

export const listRoles = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/roles',
  summary: 'Lists the names of all roles, in byte order.',
  fields: PAGE_FIELDS,
  returns: { keys: f.json<readonly string[]>('The names of the roles.', STRING_LIST) },
  run: (tx, page) => ({ keys: tx.list(CLOUD_ROLE, pageOptions(page)) }),
})

export const deleteRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/roles/:name',
  forwardable: true,
  summary: 'Deletes a role. Credentials that it has issued stay valid until their leases end.',
  fields: NAME,
  returns: {},
  run: (tx, { name }) => {
    if (!tx.get(CLOUD_ROLE, name)) throw notFound(`there is no role named ${name.slice(0, 200)}`)
    tx.delete(CLOUD_ROLE, name)
    tx.event('role.deleted', { name })
    return undefined
  },
})
