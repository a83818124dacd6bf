/**
 * Reading, listing and deleting roles (spec document 1, "Read role", "List roles", "Delete role").
 */
import { notFound } from '../../../core/base/errors.ts'
import { PAGE_FIELDS, pageOf } from '../../../core/contract/list-page.ts'
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
  summary: 'Shows a role. Lists and tags that were never given are null.',
  fields: NAME,
  returns: {
    credential_types: f.json<readonly CloudCredentialType[]>(
      'What it gives out; two types where it was written as a policy of the old kind.',
      STRING_LIST,
    ),
    credential_type: f.text('The same as one text, with commas.'),
    role_arns: texts('ARNs of roles that may be assumed.'),
    policy_arns: texts('ARNs of managed policies.'),
    policy_document: f.text('A policy as JSON, without blanks between its tokens; empty: none.'),
    iam_groups: texts('Names of groups.'),
    iam_tags: f.json<Readonly<Record<string, string>> | null>('Tags of users.', {
      type: 'object',
      additionalProperties: { type: 'string' },
      nullable: true,
    }),
    default_sts_ttl: f.int('Seconds that a session lasts where the request names none; 0: 3,600.'),
    max_sts_ttl: f.int('Seconds that a session lasts at most; 0: as the mount says.'),
    user_path: f.text('The path of users in IAM; empty: `/`.'),
    permissions_boundary_arn: f.text('The ARN of the policy that bounds users; empty: none.'),
    invalid_data: f.text('What the role was to be read from, where that could not be read.').optional(),
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
  returns: { keys: f.json<readonly string[]>('Names.', STRING_LIST) },
  run: (tx, page) => ({ keys: tx.list(CLOUD_ROLE, pageOf(page)) }),
})

export const deleteRole = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/roles/:name',
  forwardable: true,
  summary: 'Deletes a role. What it gave out stays until its leases end.',
  fields: NAME,
  returns: {},
  run: (tx, { name }) => {
    if (!tx.get(CLOUD_ROLE, name)) throw notFound(`there is no role named ${name.slice(0, 200)}`)
    tx.delete(CLOUD_ROLE, name)
    tx.event('role.deleted', { name })
    return undefined
  },
})
