/** What nobody should send, in every field that configures the cloud engine, by both views: refused at once, with nothing stored and nothing asked. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Operations } from '../../../src/core/contract/operation.ts'
import { cloud } from '../../../src/engines/cloud/index.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { type Known, pathOutcome, requestOf, typedOutcome } from '../../fixtures/every-operation.ts'
import { MEASURED } from '../../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../../fixtures/slowness.ts'
import { longestStretch } from '../../large/stretch.ts'

const METHODS = [
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

const OPERATIONS: readonly Known[] = Object.entries(cloud.operations as Operations)
  .filter(([method]) => METHODS.includes(method))
  .map(([method, operation]) => ({ title: method, method, mount: 'cloud/', operation, fields: operation.fields }))

const nested = (depth: number): unknown => {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

/** Beside what is good of a request, so that the bad value decides. */
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

/** Fields that would not be looked at beside those of another type of role. */
const BESIDE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  role_arns: { credential_type: 'assumed_role' },
  default_sts_ttl: { credential_type: 'assumed_role', role_arns: ['a'] },
  max_sts_ttl: { credential_type: 'assumed_role', role_arns: ['a'] },
  policy: { credential_type: undefined, policy_document: undefined },
  arn: { credential_type: undefined, policy_document: undefined },
}

type Case = readonly [what: string, method: string, members: Readonly<Record<string, unknown>>]

const LONG = 'x'.repeat(70_000)

/** What no field of that kind takes. */
function badValues(type: unknown): readonly (readonly [string, unknown])[] {
  const always = [
    ['nesting', nested(5000)],
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
      ['no pair', ['novalue']],
      ['no key', { '': 'a' }],
      ['no key in a list', ['=a']],
      ['NUL', { a: 'b\0c' }],
      ['NUL in a key', { 'a\0b': 'c' }],
    ]
  if (type === 'integer') return [...always, ['a text that is none', LONG], ['NUL', '5\0']]
  return [...always, ['70,000 characters', LONG], ['NUL', 'a\0b']]
}

const FROM_DEFINITIONS: readonly Case[] = OPERATIONS.flatMap(({ method, fields }) =>
  Object.entries(fields).flatMap(([name, { schema }]) =>
    badValues(schema['type'])
      // By path a name is whatever text it has there.
      .filter(([what]) => name !== 'name' || !what.startsWith('a wrong type in'))
      .map(([what, value]): Case => [`${name}: ${what}`, method, { ...BESIDE[name], [name]: value }]),
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

const CASES = [...FROM_DEFINITIONS, ...BY_HAND]

describe('bad input to the configuration of the cloud engine', () => {
  let asked = 0
  let kernel: Kernel
  const asking = () => {
    asked++
    throw new Error('nobody is to be asked anything')
  }
  beforeAll(async () => {
    kernel = await createDevKernel({ ports: { cloud: { connect: asking } } })
    // Static roles ask by it.
    await kernel.cloud.configureRoot({ access_key: 'AKIAEXAMPLE', secret_key: 'secret' })
  })
  afterAll(() => kernel?.close())
  // One that is stored by mistake fails its own test alone.
  afterEach(() => kernel.cloud.deleteRole({ name: 'new' }).catch(() => {}))

  /** What there is, whatever it says of itself. */
  const stored = () =>
    Promise.all(
      [kernel.cloud.readRoot(), kernel.cloud.readLease(), kernel.cloud.readRole({ name: 'new' })].map((asked) =>
        asked.then(
          (shown) => shown,
          (error: { status?: number }) => error.status,
        ),
      ),
    )

  it('is made from all operations that configure', () => {
    expect(OPERATIONS.map(({ method }) => method).sort()).toEqual([...METHODS].sort())
  })

  it.each(CASES.map(([what, method, members]) => [method, what, members] as const))(
    '%s: %s',
    MEASURED,
    async (method, _, members) => {
      const known = OPERATIONS.find((each) => each.method === method)!
      const given = Object.fromEntries(Object.entries({ ...GOOD[method], ...members }).filter(([, value]) => value !== undefined))
      const typed = kernel.cloud[method as 'writeRole'] as (args: object) => Promise<unknown>
      const ways = [
        async () => typedOutcome(() => typed.call(kernel.cloud, given)),
        async () => pathOutcome(await kernel.handle(requestOf(known, given, { 'X-Service-Token': kernel.rootToken }))),
      ]
      const before = await stored()
      for (const way of ways) {
        let least = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < 3 && least >= LONGEST_STRETCH_MS; tries++) {
          const { result, worst } = await longestStretch(way)
          least = Math.min(least, worst)
          expect(result, result.said.slice(0, 200)).toMatchObject({
            status: 'name' in members ? expect.toBeOneOf([400, 404]) : 400,
          })
          // What a path does not lead to is told by whoever reads paths.
          if (!('name' in members)) expect(result.said.length).toBeLessThan(2000)
        }
        expect(least).toBeLessThan(LONGEST_STRETCH_MS)
      }
      expect(asked).toBe(0)
      expect(await stored()).toEqual(before)
    },
  )
})
