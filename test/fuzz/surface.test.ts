/**
 * Any request to any path of any engine, with any token and in any namespace: an answer below 500, with `errors` from 400 on, that is valid
 * JSON, in time. Requests are made from the operations themselves, so that a new one is fuzzed without anybody thinking of it.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ENGINES } from '../../src/conventional.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'

const RUNS = process.env['SLOW'] ? 100_000 : 4_000

/** Where each engine is found. */
const PLACES: Readonly<Record<string, string>> = {
  transit: 'transit/',
  kv: 'secret/',
  cubbyhole: 'cubbyhole/',
  system: 'sys/',
  token: 'auth/token/',
  identity: 'identity/',
}

interface Shape {
  readonly verb: string
  readonly path: string
  readonly fields: readonly string[]
}

/** What would end the run: keys that take seconds to make, and sealing. */
const SLOW_PATHS = /wrapping_key|import|^sys\/seal$/

const SHAPES: readonly Shape[] = ENGINES.flatMap((engine) =>
  Object.values(engine.operations).map((operation) => ({
    verb: operation.verb,
    path: (PLACES[engine.type] ?? '') + operation.path.slice(1),
    fields: [...Object.keys(operation.fields), ...('item' in operation ? Object.keys(operation.item) : [])],
  })),
).filter(({ path }) => !SLOW_PATHS.test(path))

let kernel: Kernel
let tokens: string[]

beforeAll(async () => {
  kernel = await createDevKernel()
  const root = kernel.rootToken as string
  tokens = [root, '', 's.000000000000000000000000', 'b.AAAA', `s.${'x'.repeat(24)}.abcdef`, root]
  await kernel.policies.writePolicy({ name: 'some', policy: 'path "secret/*" { capabilities = ["create", "read", "list"] }' })
  const { client_token } = await kernel.tokens.createToken({ policies: ['some'] })
  tokens[5] = client_token
  await kernel.namespaces.createNamespace({ name: 'ns1' })
  await kernel.namespace('ns1/').policies.writePolicy({ name: 'some', policy: 'path "*" { capabilities = ["read"] }' })
})
afterAll(() => kernel.close())

const word = fc.constantFrom(
  'a',
  'b',
  'ns1',
  'root',
  'default',
  'some',
  'secret',
  'secret/',
  'auth/token',
  'sys',
  'kv',
  'transit',
  'service',
  'batch',
  'system',
  '__proto__',
  'constructor',
  'x.',
  '-x',
  '..',
  '+',
  '*',
  '+*',
  '{{identity.entity.id}}',
  '1h',
  '-1',
  '0',
  '1e400',
  '10.0.0.0/8',
  '::1/129',
  'path "a" { capabilities = ["read"] }',
  '{"path":{"a":{"capabilities":["deny"]}}}',
  'path "',
  'true',
  '2',
  'unauth',
  'x'.repeat(3000),
)
const scalar = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 2, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.bigInt() },
)
const value = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 2, arbitrary: fc.dictionary(word, scalar, { maxKeys: 4 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
)

const request = fc.constantFrom(...SHAPES).chain((shape) =>
  fc.record({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant(shape.verb) },
      { weight: 2, arbitrary: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'LIST', 'PATCH', 'HEAD', 'OPTIONS', 'BREW') },
    ),
    path: fc
      .array(fc.oneof(word, fc.string()), { minLength: 4, maxLength: 4 })
      .map((parts) => shape.path.replaceAll(/[()]/g, '').replaceAll(/[:*+]\w+/g, () => encodeURIComponent(parts.pop() ?? 'a'))),
    inside: fc.boolean(),
    members: fc.dictionary(
      fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...shape.fields, 'other') }, { weight: 1, arbitrary: word }),
      value,
      {
        maxKeys: 6,
      },
    ),
    token: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.constant(5) },
      { weight: 2, arbitrary: fc.nat(4) },
    ),
    namespace: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.constantFrom('ns1', 'ns1/', 'root', 'none', '/') },
    ),
    wrap: fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: word }),
    index: fc.oneof(
      { weight: 30, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('1', '0', 'x', '-1') },
    ),
  }),
)

const jsonOf = (body: unknown): string =>
  JSON.stringify(body, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))

it(`answers ${RUNS} requests below 500`, async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, inside, members, token, namespace, wrap, index }) => {
      const headers = {
        'X-Service-Token': tokens[token] as string,
        'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        ...(namespace === undefined ? {} : { 'X-Service-Namespace': namespace }),
        ...(wrap === undefined ? {} : { 'X-Service-Wrap-TTL': wrap }),
        ...(index === undefined ? {} : { 'X-Service-Index': index }),
      }
      const query = Object.fromEntries(
        Object.entries(members).flatMap(([name, part]) => (typeof part === 'string' ? [[name, part] as const] : [])),
      )
      const before = process.hrtime.bigint()
      const answer = await kernel.handle({ method, path: `/v1/${inside ? 'ns1/' : ''}${path}`, headers, query, body: members })
      expect(answer.status).toBeGreaterThanOrEqual(200)
      expect(answer.status).toBeLessThan(500)
      expect(Number(process.hrtime.bigint() - before) / 1e6).toBeLessThan(2000)
      if (answer.status >= 400) expect((answer.body as { errors: unknown }).errors).toBeInstanceOf(Array)
      if (answer.body !== undefined) expect(typeof jsonOf(answer.body)).toBe('string')
      // What may do everything may also end itself; without it the rest of the run would be refusals.
      if (token === 0 && answer.status === 403) tokens[0] = (await kernel.tokens.createToken({ policies: ['root'] })).client_token
    }),
    { numRuns: RUNS },
  )
}, 600_000)
