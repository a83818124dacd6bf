/**
 * The parts of a request that anybody can make long: headers, parameters of the query, the path. Whatever they hold, the work on them grows no
 * faster than they do, with a token and without.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENGINES } from '../../src/conventional.ts'
import { createDevKernel, type Kernel, type KernelRequest } from '../../src/index.ts'
import { MEASURED } from '../fixtures/measured.ts'
import { SLOWNESS } from '../fixtures/slowness.ts'

const LONGEST = 65_536
/** Everything in the slow set; else what has found something before. */
const SLOW = process.env['SLOW'] !== undefined
const LENGTHS: readonly number[] = SLOW ? [1024, 2048, 4096, 8192, 16_384, 32_768, LONGEST] : [4096, LONGEST]

const MORE_UNITS = ['%', '%20', '%25', '*', '"', '-', ':', ';', '\t', '\n', './', '{{', 'é']
/** What is repeated: what expressions, splitting and decoding are about. */
const UNITS = ['/', ' ', '.', '%2f', ',', '0', '+', '=', 'a', 'a/', ...(SLOW ? MORE_UNITS : [])]
/** What makes an expression that went through all of it fail. */
const TAILS = SLOW ? ['', '!', '\n', '\0/x'] : ['', '!\n']
const HEADS = SLOW ? ['', 'a'] : ['']

/** Of processor time: milliseconds for anything, and microseconds a character. Trying at every character anew takes a hundred times as long. */
const FREE_MS = 40 * SLOWNESS
const PER_CHARACTER_US = 0.25 * SLOWNESS
const TRIES = 3

const shape = (unit: string, head: string, tail: string, length: number): string =>
  head + unit.repeat(Math.ceil(length / unit.length)).slice(0, length - head.length - tail.length) + tail

const PLACES: Readonly<Record<string, string>> = {
  transit: 'transit/',
  kv: 'secret/',
  cubbyhole: 'cubbyhole/',
  system: 'sys/',
  token: 'auth/token/',
  identity: 'identity/',
  orchestrator: 'auth/orchestrator/',
}
const OPERATIONS = ENGINES.flatMap(({ type, operations }) =>
  Object.entries(operations).map(([name, operation]) => ({
    name: `${type}.${name}`,
    operation,
    place: PLACES[type] ?? `${type}/`,
  })),
)
/** What would end the run, or takes long for what it is and not for what it was sent. */
const LEFT_OUT = /^sys\/seal$|wrapping_key|import|specs\/openapi$/

let kernel: Kernel
let tokens: readonly (string | undefined)[]
beforeAll(async () => {
  kernel = await createDevKernel({ ports: { audit: { sinks: { log: { write: () => {}, writeSync: () => {} } } } } })
  await kernel.namespaces.createNamespace({ name: 'team' })
  const policy = ['*', 'secret/+/x/*', '+/+/+', 'sys/+/b', 'secret/data/a'].map(
    (path) => `path "${path}" { capabilities = ["read", "list"] }`,
  )
  await kernel.policies.writePolicy({ name: 'some', policy: policy.join('\n') })
  const { client_token } = await kernel.tokens.createToken({ policies: ['some'] })
  tokens = [kernel.rootToken, client_token, undefined]
})
afterAll(() => kernel.close())

async function milliseconds(request: KernelRequest): Promise<number> {
  const before = process.cpuUsage()
  const { status } = await kernel.handle(request)
  const { user, system } = process.cpuUsage(before)
  expect(status).toBeLessThan(500)
  return (user + system) / 1000
}

/** Doubles what `of` makes of a text, for every shape; the first length that takes too long is the last. */
async function grows(of: (text: string) => KernelRequest): Promise<void> {
  for (const unit of UNITS)
    for (const head of HEADS)
      for (const tail of TAILS)
        for (const length of LENGTHS) {
          const request = of(shape(unit, head, tail, length))
          const bound = FREE_MS + (length * PER_CHARACTER_US) / 1000
          let best = Number.POSITIVE_INFINITY
          for (let i = 0; i < TRIES && best > bound; i++) best = Math.min(best, await milliseconds(request))
          expect(best, `${length} characters of ${JSON.stringify([head, unit, tail])}`).toBeLessThan(bound)
        }
}

const withToken = (token: string | undefined): Record<string, string> => (token === undefined ? {} : { 'X-Service-Token': token })

/** Requests that come to different ends, so that what each end does with a header is seen. */
const ENDS: readonly Pick<KernelRequest, 'method' | 'path' | 'body' | 'query'>[] = [
  { method: 'GET', path: '/v1/sys/mounts' },
  { method: 'GET', path: '/v1/sys/init' },
  { method: 'LIST', path: '/v1/secret/metadata' },
  { method: 'POST', path: '/v1/secret/data/a', body: '{"data":{}}' },
  { method: 'PATCH', path: '/v1/secret/data/a', body: '{"data":{}}' },
]

describe.each([
  ['X-Service-Token', ''],
  ['Authorization', ''],
  ['Authorization', 'Bearer '],
  ['Authorization', 'bearer  '],
  ['X-Service-Namespace', ''],
  ['X-Service-Namespace', 'team/'],
  ['X-Service-Wrap-TTL', ''],
  ['X-Service-Wrap-TTL', '1h'],
  ['X-Service-Wrap-Format', ''],
  ['X-Service-Index', ''],
  ['X-Service-Request', ''],
  ['Content-Type', ''],
  ['Content-Type', 'application/json;'],
  ['Accept', ''],
  ['User-Agent', ''],
  ['X-Forwarded-For', ''],
])('the header %s that begins with %j', MEASURED, (name, begin) => {
  it.each(ENDS)('of $method $path', async (end) => {
    for (const token of [kernel.rootToken, undefined]) {
      const others = name.endsWith('oken') || name === 'Authorization' ? {} : withToken(token)
      await grows((text) => ({ ...end, headers: { ...others, [name]: begin + text } }))
    }
  })
})

describe('a parameter of the query', MEASURED, () => {
  const asked = OPERATIONS.filter(({ operation }) => ['GET', 'LIST', 'DELETE'].includes(operation.verb)).flatMap(
    ({ name, operation, place }) => {
      const path =
        place +
        operation.path
          .slice(1)
          .replaceAll(/[()]/g, '')
          .replaceAll(/[:*+]\w+/g, 'a')
      const names = [...(SLOW ? ['list', 'help', 'unknown'] : []), 'after', 'limit', ...Object.keys(operation.fields)]
      return [...new Set(names)].map((parameter) => ({ name, verb: operation.verb, path, parameter }))
    },
  )
  it.each(asked.filter(({ path }) => !LEFT_OUT.test(path)))('$parameter of $name', async ({ verb, path, parameter }) => {
    await grows((text) => ({ method: verb, path: `/v1/${path}`, query: { [parameter]: text }, headers: withToken(tokens[0]) }))
  })
})

describe('the path', MEASURED, () => {
  const captures = OPERATIONS.flatMap(({ name, operation, place }) =>
    [...operation.path.matchAll(/[:*+](\w+)/g)].map(([, capture = '']) => ({
      name,
      capture,
      verb: operation.verb,
      template: place + operation.path.slice(1).replaceAll(/[()]/g, ''),
    })),
  )
  it.each(captures.filter(({ template }) => !LEFT_OUT.test(template)))(
    '$capture of $name',
    async ({ verb, template, capture }) => {
      const pathOf = (text: string) =>
        template.replaceAll(/[:*+](\w+)/g, (_, at: string) => (at === capture ? text : 'a')).slice(0, LONGEST - '/v1/'.length)
      for (const token of SLOW ? tokens : tokens.slice(0, 1))
        await grows((text) => ({ method: verb, path: `/v1/${pathOf(text)}`, headers: withToken(token) }))
    },
  )

  it.each(['GET', 'LIST', 'POST', 'DELETE', 'HELP'])('as a whole, %s', async (method) => {
    for (const token of tokens)
      for (const namespace of ['', 'team'])
        await grows((text) => {
          const headers = { ...withToken(token), 'X-Service-Namespace': namespace }
          return { method, path: `/v1/${text}`.slice(0, LONGEST), headers }
        })
  })
})
