/**
 * The parts of a request that any caller can make long, in every operation: headers, query parameters and the path. The quick tier checks
 * that long requests are answered. A measured file also checks that the work grows linearly with their length.
 */

import { afterAll, beforeAll, describe, it } from 'vitest'
import { nodeCrypto } from '../../src/adapters/crypto-node/index.ts'
import { createDevKernel, type Kernel, type KernelRequest } from '../../src/index.ts'
import { ENGINES } from '../fixtures/all-engines.ts'
import { TIER } from '../tiers.ts'

const MAX_LENGTH = 65_536

/** Whether to try every shape with every token. */
const ALL = TIER === 'soak'

/** Repeated texts: regular expressions, splitting and decoding are sensitive to them. */
const UNITS = ['/', ' ', '.', '%2f', ',', '0', '+', '=', 'a', 'a/']
const MORE_UNITS = ['%', '%20', '%25', '*', '"', '-', ':', ';', '\t', '\n', './', '{{', 'é']
/** Endings that make a regular expression fail after it has read everything before. */
const TAILS = ALL ? ['', '!', '\n', '\0/x'] : ['', '!\n']
const HEADS = ALL ? ['', 'a'] : ['']

interface Shape {
  readonly head: string
  readonly unit: string
  readonly tail: string
}

const SHAPES: readonly Shape[] = [...UNITS, ...(ALL ? MORE_UNITS : [])].flatMap((unit) =>
  HEADS.flatMap((head) => TAILS.map((tail) => ({ head, unit, tail }))),
)

const textOf = ({ head, unit, tail }: Shape, length: number): string =>
  head + unit.repeat(Math.ceil(length / unit.length)).slice(0, length - head.length - tail.length) + tail

export interface LongRequest {
  readonly shape: string
  readonly send: () => Promise<{ readonly status: number }>
}

/** Checks one part of a request with texts of different shapes. */
export type CheckRequests = (requests: readonly LongRequest[]) => Promise<void>

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
/** Operations that seal the kernel, or that are slow for any input. */
const LEFT_OUT = /^sys\/seal$|wrapping_key|import|specs\/openapi$/

export interface LongRequests {
  readonly lengths: readonly number[]
  /** Every nth shape is tried; successive parts of requests begin with different shapes. */
  readonly each: number
  readonly check: CheckRequests
}

export function describeLongRequests({ lengths, each, check }: LongRequests): void {
  let kernel: Kernel
  let tokens: readonly (string | undefined)[]
  beforeAll(async () => {
    kernel = await createDevKernel({
      crypto: nodeCrypto(),
      ports: { audit: { sinks: { log: { write: () => {}, writeSync: () => {} } } } },
    })
    await kernel.namespaces.createNamespace({ name: 'team' })
    const policy = ['*', 'secret/+/x/*', '+/+/+', 'sys/+/b', 'secret/data/a'].map(
      (path) => `path "${path}" { capabilities = ["read", "list"] }`,
    )
    await kernel.policies.writePolicy({ name: 'some', policy: policy.join('\n') })
    const { client_token } = await kernel.tokens.createToken({ policies: ['some'] })
    tokens = [kernel.rootToken, client_token, undefined]
  })
  afterAll(() => kernel.close())

  let turn = 0
  const checkAll = (of: (text: string) => KernelRequest): Promise<void> => {
    turn++
    const shapes = SHAPES.filter((_, index) => (index + turn) % each === 0)
    return check(
      lengths.flatMap((length) =>
        shapes.map((shape) => {
          const request = of(textOf(shape, length))
          return { shape: `${length} characters of ${JSON.stringify(shape)}`, send: () => kernel.handle(request) }
        }),
      ),
    )
  }

  const withToken = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { 'X-Service-Token': token }

  /** Requests that read headers in different ways. */
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
  ])('a long header %s that begins with %j', (name, begin) => {
    it.each(ENDS)('is handled in $method $path', async (end) => {
      for (const token of [kernel.rootToken, undefined]) {
        const others = name.endsWith('oken') || name === 'Authorization' ? {} : withToken(token)
        await checkAll((text) => ({ ...end, headers: { ...others, [name]: begin + text } }))
      }
    })
  })

  describe('a long query parameter', () => {
    const parameters = OPERATIONS.filter(({ operation }) => ['GET', 'LIST', 'DELETE'].includes(operation.verb)).flatMap(
      ({ name, operation, place }) => {
        const path =
          place +
          operation.path
            .slice(1)
            .replaceAll(/[()]/g, '')
            .replaceAll(/[:*+]\w+/g, 'a')
        const names = [...(ALL ? ['list', 'help', 'unknown'] : []), 'after', 'limit', ...Object.keys(operation.fields)]
        return [...new Set(names)].map((parameter) => ({ name, verb: operation.verb, path, parameter }))
      },
    )
    it.each(parameters.filter(({ path }) => !LEFT_OUT.test(path)))(
      'is handled as $parameter of $name',
      async ({ verb, path, parameter }) => {
        await checkAll((text) => ({
          method: verb,
          path: `/v1/${path}`,
          query: { [parameter]: text },
          headers: withToken(tokens[0]),
        }))
      },
    )
  })

  describe('a long path', () => {
    const captures = OPERATIONS.flatMap(({ name, operation, place }) =>
      [...operation.path.matchAll(/[:*+](\w+)/g)].map(([, capture = '']) => ({
        name,
        capture,
        verb: operation.verb,
        template: place + operation.path.slice(1).replaceAll(/[()]/g, ''),
      })),
    )
    it.each(captures.filter(({ template }) => !LEFT_OUT.test(template)))(
      'is handled with the long text as $capture of $name',
      async ({ verb, template, capture }) => {
        const pathOf = (text: string) =>
          template
            .replaceAll(/[:*+](\w+)/g, (_, at: string) => (at === capture ? text : 'a'))
            .slice(0, MAX_LENGTH - '/v1/'.length)
        for (const token of ALL ? tokens : tokens.slice(0, 1))
          await checkAll((text) => ({ method: verb, path: `/v1/${pathOf(text)}`, headers: withToken(token) }))
      },
    )

    it.each(['GET', 'LIST', 'POST', 'DELETE', 'HELP'])('is handled if the whole path is long, %s', async (method) => {
      for (const token of tokens)
        for (const namespace of ['', 'team'])
          await checkAll((text) => {
            const headers = { ...withToken(token), 'X-Service-Namespace': namespace }
            return { method, path: `/v1/${text}`.slice(0, MAX_LENGTH), headers }
          })
    })
  })
}
