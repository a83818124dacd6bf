/** Requests with bad values in every field that configures the cloud engine. */
import type { Operations } from '../../../src/core/contract/operation.ts'
import { cloud } from '../../../src/engines/cloud/index.ts'
import type { Kernel } from '../../../src/index.ts'
import { type Known, pathOutcome, requestOf, typedOutcome } from '../../fixtures/every-operation.ts'

export const METHODS = [
  'configureRoot',
  'configureLease',
  'writeRole',
  'readRole',
  'deleteRole',
  'writeStaticRole',
  'readStaticRole',
  'deleteStaticRole',
  'staticCreds',
]

export const OPERATIONS: readonly Known[] = Object.entries(cloud.operations as Operations)
  .filter(([method]) => METHODS.includes(method))
  .map(([method, operation]) => ({ title: method, method, mount: 'cloud/', operation, fields: operation.fields }))

const nested = (depth: number): unknown => {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

/** Valid values for the other fields of a request, so that only the bad value causes the refusal. */
const GOOD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  configureRoot: { access_key: 'AKIAEXAMPLE', secret_key: 'secret' },
  configureLease: { lease: '1h', lease_max: '24h' },
  writeRole: { name: 'new', credential_type: 'iam_user', policy_document: '{}' },
  readRole: { name: 'new' },
  deleteRole: { name: 'new' },
  writeStaticRole: { name: 'new', username: 'app-none', rotation_period: 3600 },
  readStaticRole: { name: 'new' },
  deleteStaticRole: { name: 'new' },
  staticCreds: { name: 'new' },
}

/** Role types for fields that other role types ignore. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  role_arns: { credential_type: 'assumed_role' },
  default_sts_ttl: { credential_type: 'assumed_role', role_arns: ['a'] },
  max_sts_ttl: { credential_type: 'assumed_role', role_arns: ['a'] },
  policy: { credential_type: undefined, policy_document: undefined },
  arn: { credential_type: undefined, policy_document: undefined },
}

type Case = readonly [what: string, method: string, members: Readonly<Record<string, unknown>>]

const LONG = 'x'.repeat(70_000)

/** Values that no field of this type accepts. */
function badValues(type: unknown): readonly (readonly [string, unknown])[] {
  const always = [
    ['5,000 nested levels', nested(5000)],
    ['a wrong type', { a: { b: 1 } }],
    ['a wrong type in a list', [{ a: 1 }]],
  ] as const
  if (type === 'array')
    return [
      ...always,
      ['70,000 characters', [LONG]],
      ['70,000 characters in pieces', new Array<string>(7000).fill('x'.repeat(10))],
      ['70,000 texts', new Array<string>(70_000).fill('x')],
      ['NUL', ['a\0b']],
    ]
  if (type === 'object')
    return [
      ...always,
      ['70,000 characters', { a: LONG }],
      ['a key of 70,000 characters', { [LONG]: 'a' }],
      ['70,000 members', Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [`n${at}`, 'x']))],
      ['70,000 texts', new Array<string>(70_000).fill('a=b')],
      ['an item without an equals sign', ['novalue']],
      ['an empty key', { '': 'a' }],
      ['an empty key in a list', ['=a']],
      ['NUL', { a: 'b\0c' }],
      ['NUL in a key', { 'a\0b': 'c' }],
    ]
  if (type === 'integer') return [...always, ['a string of letters', LONG], ['NUL', '5\0']]
  return [...always, ['70,000 characters', LONG], ['NUL', 'a\0b']]
}

const FROM_DEFINITIONS: readonly Case[] = OPERATIONS.flatMap(({ method, fields }) =>
  Object.entries(fields).flatMap(([name, { schema }]) =>
    badValues(schema['type'])
      // In a path, any text is a valid name.
      .filter(([what]) => name !== 'name' || !what.startsWith('a wrong type in'))
      .map(([what, value]): Case => [`${what} in ${name}`, method, { ...BESIDE[name], [name]: value }]),
  ),
)

const document = (text: string): Case => [`the document ${text.slice(0, 20)}`, 'writeRole', { policy_document: text }]

const BY_HAND: readonly Case[] = [
  ...[
    `"${LONG}"`,
    `${' '.repeat(70_000)}{}`,
    `{"a":"\0"}`,
    '['.repeat(30_000) + ']'.repeat(30_000),
    '['.repeat(65_000),
    '{"a":'.repeat(13_000),
    '"\\'.repeat(32_000),
    `{"a":${'9'.repeat(65_000)}`,
    `[${'{},'.repeat(21_000)}`,
  ].map(document),
  ...[
    '{{',
    '{{.Nothing}}',
    '{{random 99999999999}}',
    '{{printf "%9999999d" 1}}',
    '{{'.repeat(35_000),
    '{{truncate 0 .Type}}',
  ].map((username_template): Case => [`the template ${username_template.slice(0, 24)}`, 'configureRoot', { username_template }]),
  ...['1d', '-1h', '', '1 h', 'soon', '1e9', '9'.repeat(128), '1h'.repeat(65), '99999999999h'].map(
    (lease): Case => [`the duration ${lease.slice(0, 16)}`, 'configureLease', { lease }],
  ),
  ['a line break in a key', 'configureRoot', { secret_key: 'a\nb' }],
  ['a path of 70,000 slashes', 'writeRole', { user_path: '/'.repeat(70_000) }],
  ['a boundary of 70,000 colons', 'writeRole', { permissions_boundary_arn: `arn${':'.repeat(70_000)}` }],
  ['an ARN of 70,000 colons', 'writeRole', { ...BESIDE['arn'], arn: `arn${':'.repeat(70_000)}` }],
  ...['', 'a b', 'a/b', 'a:b', 'x'.repeat(65), 'é'].map(
    (username): Case => [`the user ${username.slice(0, 16)}`, 'writeStaticRole', { username }],
  ),
  ...['1w', '-60', 'daily', 1.5, -60].map(
    (rotation_period): Case => [`the period ${rotation_period}`, 'writeStaticRole', { rotation_period }],
  ),
  ['a duration below 0', 'writeRole', { ...BESIDE['max_sts_ttl'], max_sts_ttl: -1 }],
]

export const CASES = [...FROM_DEFINITIONS, ...BY_HAND]

/** Sends a request as a typed call and as a call by path. */
export function waysTo(kernel: Kernel, method: string, members: Readonly<Record<string, unknown>>) {
  const known = OPERATIONS.find((each) => each.method === method)!
  const input = Object.fromEntries(Object.entries({ ...GOOD[method], ...members }).filter(([, value]) => value !== undefined))
  const typed = kernel.cloud[method as 'writeRole'] as (args: object) => Promise<unknown>
  return [
    async () => typedOutcome(() => typed.call(kernel.cloud, input)),
    async () => pathOutcome(await kernel.handle(requestOf(known, input, { 'X-Service-Token': kernel.rootToken }))),
  ]
}
