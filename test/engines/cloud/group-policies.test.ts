/** Expected values are Vault's behavior. */
import { describe, expect, it } from 'vitest'
import { combinePolicies } from '../../../src/engines/cloud/creds/combine-policies.ts'
import { openCloud, ROLE_ARN } from './creds-world.ts'

const document = (...statements: readonly unknown[]): string => JSON.stringify({ Version: '2012-10-17', Statement: statements })

const S3 = { Action: 's3:Get*', Effect: 'Allow', Resource: '*' }
const SQS = { Action: ['sqs:*'], Effect: 'Allow', Resource: '*', Sid: 'q' }

describe('combinePolicies', () => {
  it.each([
    ['no documents', [], document()],
    ['an empty string and an empty statement list', ['', '{"Version":"2012-10-17","Statement":[]}'], document()],
    ['one document', [document(S3)], document(S3)],
    ['two documents in order', [document(S3), document(SQS)], document(S3, SQS)],
    ['a single statement outside a list', [JSON.stringify({ Version: '2012-10-17', Statement: SQS })], document(SQS)],
    ['white space between tokens', [JSON.stringify(JSON.parse(document(S3)), null, 4)], document(S3)],
    ['a document without statements', ['{"Version":"2012-10-17"}', document(S3)], document(S3)],
    ['an empty object', ['{}', document(S3)], document(S3)],
    ['another version and an Id member', ['{"Version":"2008-10-17","Id":"mine","Statement":[]}', document(S3)], document(S3)],
    ['a document without a version', [`{"Statement":${JSON.stringify(S3)}}`], document(S3)],
    ['members in another order', ['{"Statement":{"Resource":"*","Effect":"Allow","Action":"s3:Get*"}}'], document(S3)],
    [
      'nested members in another order',
      ['{"Statement":{"Condition":{"StringEquals":{"b":"1","a":"2"}},"Action":"x"}}'],
      '{"Version":"2012-10-17","Statement":[{"Action":"x","Condition":{"StringEquals":{"a":"2","b":"1"}}}]}',
    ],
    [
      'large numbers and angle brackets',
      ['{"Statement":{"Sid":"a<b>&c","N":12345678901234567890}}'],
      '{"Version":"2012-10-17","Statement":[{"N":12345678901234567890,"Sid":"a\\u003cb\\u003e\\u0026c"}]}',
    ],
    ['null as a document', ['null', document(S3)], document(S3)],
  ])('combines %s', (_, documents, joined) => {
    expect(combinePolicies(documents)).toBe(joined)
  })

  it.each([
    ['a string that is not JSON', 'no JSON'],
    ['a list', '[]'],
    ['a number', '7'],
    ['a JSON string', '"text"'],
    ['a numeric version', '{"Version":7,"Statement":[]}'],
    ['null for statements', '{"Statement":null}'],
    ['60,000 levels', `{"Statement":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['33 levels', `{"Statement":${'['.repeat(33)}${']'.repeat(33)}}`],
    ['70,000 characters', document({ Sid: 'x'.repeat(70_000) })],
  ])('refuses %s', (_, text) => {
    expect(() => combinePolicies(['', text])).toThrow(expect.objectContaining({ status: 400 }))
  })
})

describe('a session of a role with groups', () => {
  const inline = (name: string) => JSON.stringify({ Version: '2012-10-17', Statement: [{ ...S3, Sid: name }] })
  const groups = {
    many: {
      attached: Array.from({ length: 7 }, (_, at) => `arn:aws:iam::aws:policy/P${at}`),
      inline: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, inline(name)])),
    },
    ops: { attached: ['arn:aws:iam::aws:policy/P0'] },
    empty: {},
  }
  const assumed = { credential_type: 'assumed_role', role_arns: [ROLE_ARN] } as const

  it.each(['', '/paged'])(
    'gets the policies of all groups, read from all pages of the group lists (endpoint%s)',
    async (path) => {
      await using world = await openCloud({ fake: { groups } })
      const { kernel, cloud } = world
      await kernel.cloud.configureRoot({
        access_key: 'AKIAROOTROOTROOTROOT',
        secret_key: 'root-secret-root-secret-root-secret-0000',
        iam_endpoint: cloud.url + path,
      })
      const own = JSON.stringify({ Statement: SQS })
      await kernel.cloud.writeRole({ name: 'r', ...assumed, policy_document: own, iam_groups: ['many', 'ops', 'empty'] })
      await kernel.cloud.sts({ name: 'r' })
      expect(cloud.calls.at(-1)).toMatchObject({
        call: 'assumeRole',
        request: {
          // A policy of several groups is passed once per group.
          policyArns: [...groups.many.attached, ...groups.ops.attached],
          policy: document(...['a', 'b', 'c'].map((Sid) => ({ ...S3, Sid })), SQS),
        },
      })
    },
  )

  it('gets the unchanged policy document of the role if no group has an inline policy', async () => {
    await using world = await openCloud({ fake: { groups } })
    const { kernel, cloud } = world
    const own = '{"Statement":{"Resource":"*","Effect":"Allow","Action":"s3:*"}}'
    await kernel.cloud.writeRole({ name: 'r', ...assumed, policy_document: own, iam_groups: ['ops', 'empty'] })
    await kernel.cloud.sts({ name: 'r' })
    expect(cloud.calls.at(-1)?.request).toMatchObject({ policy: own, policyArns: groups.ops.attached })
    await kernel.cloud.writeRole({ name: 'r', policy_document: '', iam_groups: ['ops'] })
    await kernel.cloud.sts({ name: 'r' })
    expect(cloud.calls.at(-1)?.request).not.toHaveProperty('policy')
  })

  it('is refused with 502 if one of the groups does not exist', async () => {
    await using world = await openCloud({ fake: { groups } })
    await world.kernel.cloud.writeRole({ name: 'r', ...assumed, iam_groups: ['ops', 'nobody'] })
    expect((await world.send('GET', 'cloud/creds/r')).status).toBe(502)
  })
})
