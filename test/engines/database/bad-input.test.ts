/** What nobody should send, in every field of every operation, by both views: refused at once, with nothing stored and nothing asked. */

import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import type { Operations } from '../../../src/core/contract/operation.ts'
import { database } from '../../../src/engines/database/index.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { fakeDatabasePlugin } from '../../../src/testing/index.ts'
import { completed, type Known, pathOutcome, requestOf, typedOutcome } from '../../fixtures/every-operation.ts'
import { MEASURED } from '../../fixtures/measured.ts'
import { LONGEST_STRETCH_MS } from '../../fixtures/slowness.ts'
import { longestStretch } from '../../large/stretch.ts'

const OPERATIONS: readonly Known[] = Object.entries(database.operations as Operations).map(([method, operation]) => ({
  title: method,
  method,
  mount: 'database/',
  operation,
  fields: operation.fields,
}))

const nested = (depth: number): unknown => {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

/** Beside what is good of a request, so that the bad value decides. */
const GOOD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  writeConnection: {
    name: 'new',
    plugin_name: 'fake',
    connection_url: 'postgresql://{{username}}:{{password}}@db/app',
    username: 'root',
    password: 'root-password',
  },
  writeRole: { name: 'new', db_name: 'db', creation_statements: ['CREATE'] },
  writeStaticRole: { name: 'new', db_name: 'db', username: 'owner', rotation_period: 3600 },
}

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
const certificate = { key_type: 'ed25519', common_name_template: '{{.RoleName}}', ca_cert: PEM, ca_private_key: PEM }

type Case = readonly [what: string, method: string, members: Readonly<Record<string, unknown>>]

/** What no field of that kind takes. */
function badValues(name: string, type: unknown): readonly (readonly [string, unknown])[] {
  if (name === 'name')
    return [
      ['70,000 characters', 'x'.repeat(70_000)],
      ['NUL', 'a\0b'],
      ['nesting', nested(5000)],
    ]
  if (type === 'integer' || type === 'boolean')
    return [
      ['a text that is none', 'x'.repeat(70_000)],
      ['nesting', nested(5000)],
    ]
  if (type === 'array')
    return [
      ['a wrong type', { a: { b: 1 } }],
      ['nesting', nested(5000)],
    ]
  if (type === 'object')
    return [
      ['a wrong type', 5],
      ['an array', [[1]]],
    ]
  return [
    ['an object', { a: 1 }],
    ['nesting', nested(5000)],
  ]
}

const WRITES = ['writeConnection', 'writeRole', 'writeStaticRole']

const FROM_DEFINITIONS: readonly Case[] = OPERATIONS.flatMap(({ method, fields }) =>
  Object.entries(fields)
    // On the wire the details of a connection are members of their own.
    .filter(([name]) => (WRITES.includes(method) && name !== 'connection_details') || name === 'name')
    .flatMap(([name, { schema }]) =>
      badValues(name, schema['type']).map(([what, value]): Case => [`${name}: ${what}`, method, { [name]: value }]),
    ),
)

const ROLE_AND_STATIC: readonly Case[] = ['writeRole', 'writeStaticRole'].flatMap((method): Case[] => [
  ['a kind of credential that is none', method, { credential_type: 'x'.repeat(70_000) }],
  ['a key size that is none', method, { credential_type: 'rsa_private_key', credential_config: { key_bits: 1 } }],
  ['PEM that is none', method, { credential_type: 'client_certificate', credential_config: certificate }],
  [
    'a long PEM',
    method,
    { credential_type: 'client_certificate', credential_config: { ...certificate, ca_cert: PEM.repeat(2000) } },
  ],
])

const WIDE = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, at]))

/** In what the plugin alone understands, at any depth, and in what every plugin has. */
const DETAILS: readonly Case[] = (
  [
    ['an integer beyond 2^53', 12_345_678_901_234_567_890n],
    ['20,000 members', WIDE],
    ['500,000 elements', new Array<number>(500_000).fill(1)],
    ['2 MB', 'x'.repeat(2_000_000)],
    ['2 MB in pieces', new Array<string>(2000).fill('x'.repeat(1000))],
    ['100 levels', nested(100)],
  ] as const
).flatMap(([what, value]): Case[] => [
  [`connection_details: ${what}`, 'writeConnection', { connection_details: { a: value } }],
  [`connection_details: ${what}, further in`, 'writeConnection', { connection_details: { a: [{ b: value }] } }],
  [`max_connection_lifetime: ${what}`, 'writeConnection', { max_connection_lifetime: value }],
])

const BY_HAND: readonly Case[] = [
  ...ROLE_AND_STATIC,
  ...DETAILS,
  ...['{{', '{{.Nothing}}', '{{random 99999999999}}', '{{printf "%9999999d" 1}}', '{{'.repeat(35_000), 'x'.repeat(70_000)].map(
    (template): Case => [`the template ${template.slice(0, 24)}`, 'writeConnection', { username_template: template }],
  ),
  ...[
    '* * * *',
    '@daily',
    '61 * * * *',
    '0 0 31 2 *',
    '* * * * L',
    'H * * * *',
    '*/0 * * * *',
    `${'*,'.repeat(35_000)} * * * *`,
    '0 0 * * \0',
  ].map(
    (rotation_schedule): Case => [
      `the schedule ${rotation_schedule.slice(0, 16)}`,
      'writeStaticRole',
      { rotation_period: undefined, rotation_schedule },
    ],
  ),
  ['a period below the shortest', 'writeStaticRole', { rotation_period: 1 }],
  ['a window beside a period', 'writeStaticRole', { rotation_window: 3600 }],
  ['a plugin that is none', 'writeConnection', { plugin_name: 'x'.repeat(70_000) }],
  ['a version that is none', 'writeConnection', { plugin_version: 'x'.repeat(70_000) }],
  ['statements of 1 MiB', 'writeRole', { creation_statements: ['x'.repeat(1_048_576)] }],
  ['statements of 1 MiB', 'writeStaticRole', { rotation_statements: ['x'.repeat(1_048_576)] }],
]

const CASES = [...FROM_DEFINITIONS, ...BY_HAND]

describe('bad input to the database engine', () => {
  const plugin = fakeDatabasePlugin()
  let kernel: Kernel
  beforeAll(async () => {
    plugin.addUser('owner', 'first')
    // What is configured is judged as PostgreSQL's plugin does it; nobody is reached.
    const { configure } = postgresqlPlugin({ pg })
    kernel = await createDevKernel({ ports: { databases: { fake: { ...plugin, configure } } } })
    const login = { username: 'root', password: 'root-password' }
    await kernel.database.writeConnection({
      name: 'db',
      plugin_name: 'fake',
      connection_url: 'postgresql://{{username}}:{{password}}@db/app',
      allowed_roles: ['*'],
      ...login,
    })
  })
  afterAll(() => kernel?.close())
  // One that is stored by mistake fails its own test alone.
  afterEach(async () => {
    for (const drop of ['deleteConnection', 'deleteRole', 'deleteStaticRole'] as const)
      await kernel.database[drop]({ name: 'new' })
  })

  it('is made from all operations', () => {
    expect(new Set(CASES.map(([, method]) => method)).size).toBe(
      OPERATIONS.filter(({ fields }) => Object.hasOwn(fields, 'name')).length,
    )
  })

  it.each(CASES.map(([what, method, members]) => [method, what, members] as const))(
    '%s: %s',
    MEASURED,
    async (method, _, members) => {
      const known = OPERATIONS.find((each) => each.method === method)!
      const given = Object.fromEntries(Object.entries({ ...GOOD[method], ...members }).filter(([, value]) => value !== undefined))
      const calls = { ...plugin.calls }
      const typed = kernel.database[method as 'writeRole'] as (args: object) => Promise<unknown>
      const ways = [
        async () => typedOutcome(() => typed.call(kernel.database, completed(known, given, 'typed'))),
        async () => pathOutcome(await kernel.handle(requestOf(known, given, { 'X-Service-Token': kernel.rootToken }))),
      ]
      for (const way of ways) {
        let least = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < 3 && least >= LONGEST_STRETCH_MS; tries++) {
          const { result, worst } = await longestStretch(way)
          least = Math.min(least, worst)
          // Where nothing can be, there is nothing to delete.
          if (method.startsWith('delete') && result.status < 300) continue
          expect(result, result.said.slice(0, 200)).toMatchObject({
            status: 'name' in members ? expect.toBeOneOf([400, 404]) : 400,
          })
        }
        expect(least).toBeLessThan(LONGEST_STRETCH_MS)
      }
      expect(plugin.calls).toEqual(calls)
      for (const list of ['roles', 'static-roles', 'config']) {
        const { body } = await kernel.handle({
          method: 'LIST',
          path: `/v1/database/${list}`,
          headers: { 'X-Service-Token': kernel.rootToken },
        })
        expect((body as { data?: { keys: string[] } }).data?.keys ?? []).toEqual(list === 'config' ? ['db'] : [])
      }
    },
  )

  it('names that are long are told in part', async () => {
    const long = 'x'.repeat(1 << 20)
    const { database: typed } = kernel
    await typed.writeRole({ name: 'new', db_name: long.slice(0, 50_000), creation_statements: ['CREATE'] })
    const calls = [
      () => typed.writeConnection({ ...(GOOD['writeConnection'] as { name: string }), plugin_name: long }),
      () => typed.writeStaticRole({ name: 'other', db_name: long, username: 'owner', rotation_period: 3600 }),
      () => typed.creds({ name: 'new' }),
    ]
    for (const call of calls) {
      const { status, said } = await typedOutcome(call)
      expect(status).toBe(400)
      expect(said.length).toBeLessThan(1000)
    }
  })
})
