/** Every combination of a credential type and a parameter, with vectors of paths and permissions boundaries. */
import { describe, expect, it } from 'vitest'
import { CLOUD_CREDENTIAL_TYPES, type CloudCredentialType, type CloudRole } from '../../../src/engines/cloud/records.ts'
import { EMPTY_ROLE, legacyRole } from '../../../src/engines/cloud/role/legacy.ts'
import { mergeRole } from '../../../src/engines/cloud/role/write-role.ts'

type RoleInput = Parameters<typeof mergeRole>[1]

const roleInput = (members: Partial<RoleInput>): RoleInput => members as RoleInput

const DOCUMENT = '{"Version":"2012-10-17","Statement":[]}'
const ROLE_ARN = 'arn:aws:iam::123456789012:role/app'
const POLICY_ARN = 'arn:aws:iam::aws:policy/ReadOnlyAccess'

/** The required parameters of each credential type. */
const LEAST: Readonly<Record<CloudCredentialType, Partial<RoleInput>>> = {
  iam_user: { credential_type: 'iam_user', policy_document: DOCUMENT },
  assumed_role: { credential_type: 'assumed_role', role_arns: [ROLE_ARN] },
  federation_token: { credential_type: 'federation_token', policy_document: DOCUMENT },
}

/** Returns the parameters that a refusal names, or undefined if the role is accepted. */
function refused(stored: CloudRole | undefined, members: Partial<RoleInput>): readonly string[] | undefined {
  try {
    mergeRole(stored, roleInput(members))
    return undefined
  } catch (error) {
    expect(error).toMatchObject({ status: 400 })
    return (error as Error).message.split('; ').map((mistake) => mistake.slice(0, mistake.indexOf(':')))
  }
}

const TAKEN = undefined
const ALL = { iam_user: TAKEN, assumed_role: TAKEN, federation_token: TAKEN }
const only = (type: CloudCredentialType, refusal: string) =>
  Object.fromEntries(CLOUD_CREDENTIAL_TYPES.map((each) => [each, each === type ? TAKEN : [refusal]]))
const notForUsers = (refusal: string) => ({ ...ALL, iam_user: [refusal] })
type Row = readonly [what: string, members: Partial<RoleInput>, expected: Readonly<Record<string, readonly string[] | undefined>>]

const TABLE: readonly Row[] = [
  ['its required parameters alone', {}, ALL],
  ['role_arns', { role_arns: [ROLE_ARN] }, only('assumed_role', 'role_arns')],
  ['role_arns that are not ARNs', { role_arns: ['anything'] }, only('assumed_role', 'role_arns')],
  ['empty role_arns', { role_arns: [] }, { ...ALL, assumed_role: ['role_arns'] }],
  ['policy_arns', { policy_arns: [POLICY_ARN] }, ALL],
  ['policy_arns that are not ARNs', { policy_arns: ['anything'] }, ALL],
  ['policy_arns instead of a document', { policy_arns: [POLICY_ARN], policy_document: '' }, ALL],
  ['policy_document', { policy_document: DOCUMENT }, ALL],
  [
    'a role without policy_arns and policy_document',
    { policy_arns: [], policy_document: '' },
    { ...ALL, iam_user: ['policy_arns or policy_document'], federation_token: ['policy_arns or policy_document'] },
  ],
  [
    'iam_groups without a policy',
    { policy_document: '', iam_groups: ['devs'] },
    { ...ALL, iam_user: ['policy_arns or policy_document'], federation_token: ['policy_arns or policy_document'] },
  ],
  ['iam_groups', { iam_groups: ['devs'] }, ALL],
  ['iam_tags', { iam_tags: { a: 'b' } }, ALL],
  ['default_sts_ttl', { default_sts_ttl: 900 }, notForUsers('default_sts_ttl')],
  ['max_sts_ttl', { max_sts_ttl: 900 }, notForUsers('max_sts_ttl')],
  ['durations of 0', { default_sts_ttl: 0, max_sts_ttl: 0 }, ALL],
  ['equal durations', { default_sts_ttl: 900, max_sts_ttl: 900 }, { ...ALL, iam_user: ['default_sts_ttl', 'max_sts_ttl'] }],
  [
    'a default above the maximum',
    { default_sts_ttl: 901, max_sts_ttl: 900 },
    {
      iam_user: ['default_sts_ttl', 'max_sts_ttl', 'default_sts_ttl'],
      assumed_role: ['default_sts_ttl'],
      federation_token: ['default_sts_ttl'],
    },
  ],
  ['user_path', { user_path: '/x/' }, only('iam_user', 'user_path')],
  ['the default user_path', { user_path: '/' }, only('iam_user', 'user_path')],
  ['an empty user_path', { user_path: '' }, ALL],
  ['permissions_boundary_arn', { permissions_boundary_arn: POLICY_ARN }, only('iam_user', 'permissions_boundary_arn')],
]

describe.each(CLOUD_CREDENTIAL_TYPES)('a cloud role of type %s', (type) => {
  it.each(TABLE)('accepts or refuses %s as expected for its type', (_, members, expected) => {
    expect(refused(undefined, { ...LEAST[type], ...members })).toEqual(expected[type])
  })
})

it.each([undefined, '', 'cat', 'IAM_USER', 'iam_user,assumed_role', 'session_token', '7', ' iam_user'])(
  'a cloud role refuses the credential type %j',
  (credential_type) => {
    expect(refused(undefined, { ...LEAST.iam_user, credential_type })).toEqual(['credential_type'])
  },
)

it('a write of a cloud role with several invalid parameters names all of them in the refusal', () => {
  const members = {
    credential_type: 'iam_user',
    role_arns: [ROLE_ARN],
    policy_document: '{',
    default_sts_ttl: 7200,
    max_sts_ttl: 3600,
    user_path: 'x',
    permissions_boundary_arn: 'not_an_arn',
  }
  expect(new Set(refused(undefined, members))).toEqual(
    new Set(['role_arns', 'policy_document', 'default_sts_ttl', 'max_sts_ttl', 'user_path', 'permissions_boundary_arn']),
  )
})

describe('user_path of a cloud role', () => {
  it.each(['/', '//', '/path/', '/a/b/c/', '/!"#$%&()*+,-.:;<=>?@[]^_`{|}~/', '/\x7f/', `/${'a'.repeat(510)}/`])(
    'may be %j',
    (user_path) => {
      expect(refused(undefined, { ...LEAST.iam_user, user_path })).toBeUndefined()
    },
  )

  it.each([
    'path/',
    '/path',
    'path',
    '/a b/',
    '/šiauliai/',
    '/tab\t/',
    '/a/\n',
    '/\0/',
    `/${'a'.repeat(511)}/`,
    '/'.repeat(70_000),
  ])('must not be %j', (user_path) => {
    expect(refused(undefined, { ...LEAST.iam_user, user_path })).toEqual(['user_path'])
  })
})

describe('permissions_boundary_arn of a cloud role', () => {
  it.each([
    'arn:aws:iam::aws:policy/FooBar',
    'arn:aws:iam::123456789012:policy/deep/er/Name',
    'arn:aws-cn:iam::aws:policy/X',
    'arn:aws-us-gov:iam::aws:policy/X',
    'arn::iam:::policy/',
  ])('may be %s', (permissions_boundary_arn) => {
    expect(refused(undefined, { ...LEAST.iam_user, permissions_boundary_arn })).toBeUndefined()
  })

  it.each([
    'not_an_arn',
    'notarn:aws:iam::aws:policy/FooBar',
    'arn:aws:notiam::aws:policy/FooBar',
    'arn:aws:iam::aws:notpolicy/FooBar',
    'arn:aws:iam::aws:policynot/FooBar',
    'arn:aws:iam::aws:policy',
    'arn:aws:iam:policy/FooBar',
    'arn:aws:IAM::aws:policy/FooBar',
    'ARN:aws:iam::aws:policy/FooBar',
    ' arn:aws:iam::aws:policy/FooBar',
    'arn:::::',
    'arn:aws:iam::aws:policy/\0',
  ])('must not be %j', (permissions_boundary_arn) => {
    expect(refused(undefined, { ...LEAST.iam_user, permissions_boundary_arn })).toEqual(['permissions_boundary_arn'])
  })
})

describe('a write to an existing cloud role', () => {
  const stored = mergeRole(
    undefined,
    roleInput({ ...LEAST.iam_user, policy_arns: [POLICY_ARN], iam_groups: ['devs'], iam_tags: { a: 'b' }, user_path: '/x/' }),
  )

  it('keeps the members that it does not name', () => {
    expect(mergeRole(stored, roleInput({ iam_groups: ['ops'] }))).toEqual({ ...stored, iam_groups: ['ops'] })
    expect(mergeRole(stored, roleInput({}))).toEqual(stored)
  })

  it('stores the empty values that it contains', () => {
    const cleared = { policy_document: '', policy_arns: [POLICY_ARN], iam_groups: [], iam_tags: {}, user_path: '' }
    expect(mergeRole(stored, roleInput(cleared))).toEqual({ ...stored, ...cleared })
  })

  it.each<[string, Partial<RoleInput>, readonly string[]]>([
    ['another type', { credential_type: 'assumed_role' }, ['role_arns', 'user_path']],
    ['another type with its required members', { credential_type: 'assumed_role', role_arns: [ROLE_ARN] }, ['user_path']],
    ['removal of all policies', { policy_arns: [], policy_document: '' }, ['policy_arns or policy_document']],
    ['a duration for an IAM user', { max_sts_ttl: 60 }, ['max_sts_ttl']],
  ])('is validated together with the stored members: %s', (_, members, mistakes) => {
    expect(refused(stored, members)).toEqual(mistakes)
  })

  it('can change the credential type if the resulting role is valid', () => {
    const members = { credential_type: 'assumed_role', role_arns: [ROLE_ARN], user_path: '' }
    expect(mergeRole(stored, roleInput(members))).toMatchObject({ credential_types: ['assumed_role'], policy_document: DOCUMENT })
  })
})

describe('the legacy parameters of a cloud role', () => {
  const legacy = (members: Partial<RoleInput>) => legacyRole({ name: 'r', ...members } as Parameters<typeof legacyRole>[0])

  it.each<[string, Partial<CloudRole>]>([
    ['arn:aws:iam::123456789012:role/path/RoleName', { credential_types: ['assumed_role'] }],
    ['arn:aws:iam::123456789012:policy/MyPolicy', { credential_types: ['iam_user'] }],
    ['arn:aws:iam::aws:policy/ReadOnlyAccess', { credential_types: ['iam_user'] }],
    ['arn:aws:s3:::role/x', { credential_types: ['assumed_role'] }],
    ['arn:aws:iam::1:role', { credential_types: ['assumed_role'] }],
  ])('derive the credential type from %s', (value, role) => {
    const list = role.credential_types?.[0] === 'iam_user' ? { policy_arns: [value] } : { role_arns: [value] }
    for (const parameter of ['arn', 'policy'] as const)
      expect(legacy({ [parameter]: value })).toEqual({ ...EMPTY_ROLE, ...role, ...list, legacy: true })
  })

  it('create a role of the types iam_user and federation_token from a policy document', () => {
    for (const parameter of ['arn', 'policy'] as const)
      expect(legacy({ [parameter]: ' { "Statement" : [] } ' })).toEqual({
        ...EMPTY_ROLE,
        credential_types: ['iam_user', 'federation_token'],
        policy_document: '{"Statement":[]}',
        legacy: true,
      })
  })

  it.each([
    'arn:gobbledygook',
    'arn:aws:iam::123456789012:user/someone',
    'arn:aws:iam::123456789012:group/g',
    'arn:aws:sts::123456789012:assumed-role/a/b',
    'arn:aws:iam::1:rolex/RoleName',
    'arn:aws:iam::1:role/a\0',
    'no-arn',
    'not json',
    '{',
    ' ',
  ])('refuse %j', (value) => {
    for (const parameter of ['arn', 'policy'] as const)
      expect(() => legacy({ [parameter]: value })).toThrow(
        expect.objectContaining({ status: 400, message: expect.stringMatching(new RegExp(`^${parameter}: `)) }),
      )
  })

  it('have no effect if they are empty', () => {
    expect(legacy({})).toBeUndefined()
    expect(legacy({ policy: '', arn: '', credential_type: 'iam_user' })).toBeUndefined()
  })

  it('must not be both given', () => {
    expect(() => legacy({ policy: DOCUMENT, arn: ROLE_ARN })).toThrow(/^policy, arn: /)
  })

  it.each<[string, unknown]>([
    ['credential_type', 'iam_user'],
    ['role_arns', [ROLE_ARN]],
    ['role_arns', []],
    ['policy_arns', [POLICY_ARN]],
    ['policy_document', DOCUMENT],
    ['policy_document', ''],
    ['default_sts_ttl', 3600],
    ['max_sts_ttl', 0],
    ['user_path', '/x/'],
    ['permissions_boundary_arn', POLICY_ARN],
  ])('cannot be combined with %s %j', (name, value) => {
    expect(() => legacy({ policy: DOCUMENT, [name]: value })).toThrow(
      expect.objectContaining({ status: 400, message: `policy: must not be given together with ${name}` }),
    )
  })

  it('replace the whole role, even if the request also contains iam_groups and iam_tags', () => {
    expect(legacy({ arn: ROLE_ARN, iam_groups: ['devs'], iam_tags: { a: 'b' } })).toEqual({
      ...EMPTY_ROLE,
      credential_types: ['assumed_role'],
      role_arns: [ROLE_ARN],
      legacy: true,
    })
  })

  it('create a role of two types, which later writes can change with the current parameters of either type', () => {
    const stored = legacy({ policy: DOCUMENT }) as CloudRole
    const { legacy: _, ...kept } = stored
    expect(mergeRole(stored, roleInput({}))).toEqual(kept)
    // A parameter is accepted if either type accepts it.
    expect(refused(stored, { user_path: '/x/', default_sts_ttl: 900 })).toBeUndefined()
    expect(refused(stored, { role_arns: [ROLE_ARN] })).toEqual(['role_arns'])
    expect(refused(stored, { policy_document: '' })).toEqual(['policy_arns or policy_document'])
    expect(mergeRole(stored, roleInput({ credential_type: 'iam_user' }))).toEqual({ ...kept, credential_types: ['iam_user'] })
  })
})

it('a write with current parameters replaces a cloud role whose legacy data is unreadable', () => {
  const stored: CloudRole = { ...EMPTY_ROLE, legacy: true, invalid_data: 'arn:gobbledygook' }
  expect(refused(stored, {})).toEqual(['credential_type'])
  expect(mergeRole(stored, roleInput(LEAST.iam_user))).toEqual({
    ...EMPTY_ROLE,
    credential_types: ['iam_user'],
    policy_document: DOCUMENT,
  })
})
