/** Requests with bad values in every field of the database engine. */
import pg from 'pg'
import { postgresqlPlugin } from '../../../src/adapters/database-postgresql/index.ts'
import type { Operations } from '../../../src/core/contract/operation.ts'
import { database } from '../../../src/engines/database/index.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { fakeDatabasePlugin } from '../../../src/testing/index.ts'
import { completed, type Known, pathOutcome, requestOf, typedOutcome } from '../../fixtures/every-operation.ts'

export const OPERATIONS: readonly Known[] = Object.entries(database.operations as Operations).map(([method, operation]) => ({
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

/** Valid values for the other fields of a request, so that only the bad value causes the refusal. */
export const GOOD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
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

/** Values that no field of this type accepts. */
function badValues(name: string, type: unknown): readonly (readonly [string, unknown])[] {
  if (name === 'name')
    return [
      ['70,000 characters', 'x'.repeat(70_000)],
      ['NUL', 'a\0b'],
      ['5,000 nested levels', nested(5000)],
    ]
  if (type === 'integer' || type === 'boolean')
    return [
      ['a string of letters', 'x'.repeat(70_000)],
      ['5,000 nested levels', nested(5000)],
    ]
  if (type === 'array')
    return [
      ['a wrong type', { a: { b: 1 } }],
      ['5,000 nested levels', nested(5000)],
    ]
  if (type === 'object')
    return [
      ['a wrong type', 5],
      ['an array', [[1]]],
    ]
  return [
    ['an object', { a: 1 }],
    ['5,000 nested levels', nested(5000)],
  ]
}

const WRITES = ['writeConnection', 'writeRole', 'writeStaticRole']

/** Connection details that only other plugins read; this plugin stores them unchanged. */
const OF_OTHER_PLUGINS = ['tls_certificate_key', 'tls_server_name', 'tls_skip_verify']

const FROM_DEFINITIONS: readonly Case[] = OPERATIONS.flatMap(({ method, fields }) =>
  Object.entries(fields)
    // By path, the details of a connection are top-level members.
    .filter(([name]) => (WRITES.includes(method) && name !== 'connection_details') || name === 'name')
    .filter(([name]) => !OF_OTHER_PLUGINS.includes(name))
    .flatMap(([name, { schema }]) =>
      badValues(name, schema['type']).map(([what, value]): Case => [`${what} in ${name}`, method, { [name]: value }]),
    ),
)

const ROLE_AND_STATIC: readonly Case[] = ['writeRole', 'writeStaticRole'].flatMap((method): Case[] => [
  ['an unknown credential type', method, { credential_type: 'x'.repeat(70_000) }],
  ['an invalid key size', method, { credential_type: 'rsa_private_key', credential_config: { key_bits: 1 } }],
  ['an invalid PEM', method, { credential_type: 'client_certificate', credential_config: certificate }],
  [
    'a long PEM',
    method,
    { credential_type: 'client_certificate', credential_config: { ...certificate, ca_cert: PEM.repeat(2000) } },
  ],
])

const WIDE = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, at]))

/** Bad values in the fields of this plugin, at any depth, and in the fields that all plugins share. */
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
  [`${what} in connection_details`, 'writeConnection', { connection_details: { a: value } }],
  [`${what} nested in connection_details`, 'writeConnection', { connection_details: { a: [{ b: value }] } }],
  [`${what} in max_connection_lifetime`, 'writeConnection', { max_connection_lifetime: value }],
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
  ['a period below the minimum', 'writeStaticRole', { rotation_period: 1 }],
  ['a window together with a period', 'writeStaticRole', { rotation_window: 3600 }],
  ['an unknown plugin', 'writeConnection', { plugin_name: 'x'.repeat(70_000) }],
  ['an unknown plugin version', 'writeConnection', { plugin_version: 'x'.repeat(70_000) }],
  ['statements of 1 MiB', 'writeRole', { creation_statements: ['x'.repeat(1_048_576)] }],
  ['statements of 1 MiB', 'writeStaticRole', { rotation_statements: ['x'.repeat(1_048_576)] }],
]

export const CASES = [...FROM_DEFINITIONS, ...BY_HAND]

/** A kernel with a connection `db` through a fake plugin, which validates configurations as the PostgreSQL plugin does. */
export async function openDatabase() {
  const plugin = fakeDatabasePlugin()
  plugin.addUser('owner', 'first')
  const { configure } = postgresqlPlugin({ pg })
  const kernel = await createDevKernel({ ports: { databases: { fake: { ...plugin, configure } } } })
  await kernel.database.writeConnection({
    name: 'db',
    plugin_name: 'fake',
    connection_url: 'postgresql://{{username}}:{{password}}@db/app',
    allowed_roles: ['*'],
    username: 'root',
    password: 'root-password',
  })
  return { plugin, kernel }
}

/** Sends a request as a typed call and as a call by path. */
export function waysTo(kernel: Kernel, method: string, members: Readonly<Record<string, unknown>>) {
  const known = OPERATIONS.find((each) => each.method === method)!
  const input = Object.fromEntries(Object.entries({ ...GOOD[method], ...members }).filter(([, value]) => value !== undefined))
  const typed = kernel.database[method as 'writeRole'] as (args: object) => Promise<unknown>
  return [
    async () => typedOutcome(() => typed.call(kernel.database, completed(known, input, 'typed'))),
    async () => pathOutcome(await kernel.handle(requestOf(known, input, { 'X-Service-Token': kernel.rootToken }))),
  ]
}
