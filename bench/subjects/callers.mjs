/**
 * What it costs that a caller is somebody: the application itself, a token with ten policies, the same by path. Reading a secret of 32 bytes.
 */
import { measure } from '../measure.mjs'
import { microseconds, table, target, timeCell } from '../report.mjs'
import { checked, openKernel } from '../setup.mjs'

const POLICIES = 10
const RULES = 100

export const title = 'Callers: the application, a token, a request'

const policyText = (policy) =>
  Array.from({ length: RULES }, (_, rule) => `path "secret/team-${policy}/app-${rule}/*" { capabilities = ["read"] }`).join('\n')

export async function run() {
  const { kernel } = await openKernel()
  const names = Array.from({ length: POLICIES }, (_, i) => `policy-${i}`)
  for (const [i, name] of names.entries()) await kernel.policies.writePolicy({ name, policy: policyText(i) })
  const { client_token: token } = await kernel.tokens.createToken({ policies: names })
  const path = 'team-3/app-42/db'
  await kernel.kv.writeSecret({ path, data: { password: 'x'.repeat(32) } })
  const app = kernel.as(token)
  const read = { method: 'GET', path: `/v1/secret/${path}`, headers: { 'X-Service-Token': token } }
  const asRoot = { ...read, headers: { 'X-Service-Token': kernel.rootToken } }
  await checked(kernel, read)
  await app.kv.readSecret({ path })
  let sink = 0
  const calls = await measure(
    {
      application: async (n) => {
        for (let i = 0; i < n; i++) await kernel.kv.readSecret({ path })
      },
      token: async (n) => {
        for (let i = 0; i < n; i++) await app.kv.readSecret({ path })
      },
      'request, root token': async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(asRoot)
      },
      request: async (n) => {
        for (let i = 0; i < n; i++) await kernel.handle(read)
      },
    },
    { rounds: 31 },
  )
  const made = await measure({
    'as(token)': (n) => {
      for (let i = 0; i < n; i++) sink += kernel.as(token).constructor.length
    },
    'as(token).kv': (n) => {
      for (let i = 0; i < n; i++) sink += kernel.as(token).kv.constructor.length
    },
    'namespace().kv': (n) => {
      for (let i = 0; i < n; i++) sink += kernel.namespace('team-a/').kv.constructor.length
    },
  })
  const lookups = await measure({
    'look up a token': async (n) => {
      for (let i = 0; i < n; i++) await kernel.tokens.lookupToken({ token })
    },
  })
  await kernel.close()
  if (sink < 0) throw new Error('nothing was measured')
  const targets = [
    target('a view for a token: as(token).kv', made.time('as(token).kv'), { atMost: 2 }, microseconds),
    target('path view with token and policies minus typed', calls.extra('request', 'application'), { atMost: 4 }, microseconds),
  ]
  const text = [
    table(
      [...calls.names, 'token minus application', 'request minus application', 'request: policies minus root'],
      [
        [
          ...calls.names.map((name) => microseconds(calls.time(name).median)),
          timeCell(calls.extra('token', 'application')),
          timeCell(calls.extra('request', 'application')),
          timeCell(calls.extra('request', 'request, root token')),
        ],
      ],
    ),
    table(
      [...made.names, ...lookups.names],
      [[...made.names.map((name) => timeCell(made.time(name))), timeCell(lookups.time('look up a token'))]],
    ),
  ].join('\n\n')
  return { targets, text }
}
