/**
 * Requests are generated from the kernel's own OpenAPI document, mostly with values of the documented types. Statuses that a request asks
 * for are allowed, and so is 503 after a request has sealed the kernel; then the run continues with a new kernel.
 */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import { type Described, type Document, documentOf, type Method, type Parameter, type Schema } from '../openapi/document.ts'

const RUNS = runs({ quick: 2000, soak: 60_000 })

let kernel: Kernel
let token: string

async function begin(): Promise<void> {
  kernel = await createDevKernel()
  token = kernel.rootToken as string
  await kernel.mounts.createMount({ path: 'apps/', type: 'kv', options: { version: '2' } })
  await kernel.transit.createKey({ name: 'a', exportable: true })
  await kernel.kv.writeSecret({ path: 'a', data: { a: 'b' } })
}
beforeAll(begin)
afterAll(() => kernel.close())

/** Keys of these types and the wrapping key take seconds to create. */
const SLOW_VALUE = /^(rsa-|managed)/
const SLOW_PATH = /wrapping_key|\/import/

/** Mostly names of existing objects. */
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'a', 'a', 'b', 'apps', 'default') },
  { weight: 1, arbitrary: fc.constantFrom('root', 'x.', '..', '', '1h', '-1', '0', 'vault:v1:AAAA', 'x'.repeat(2000), 'ü') },
)
const anything = fc.oneof(word, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 2 }))

/** Mostly a value that the schema allows. */
function valueFor(schema: Schema, document: Document): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: typed(schema, document) }, { weight: 1, arbitrary: anything })
}

function typed(schema: Schema, document: Document): fc.Arbitrary<unknown> {
  if (schema.$ref) return typed(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema, document)
  if (schema.enum) return fc.constantFrom(...schema.enum.filter((candidate) => !SLOW_VALUE.test(candidate)))
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') return fc.oneof(fc.integer({ min: -2, max: 600 }), fc.maxSafeInteger())
  if (schema.type === 'array') return fc.array(valueFor(schema.items ?? {}, document), { maxLength: 4 })
  if (schema.type === 'object' && schema.properties) return membersOf(schema, document)
  if (schema.type === 'object') return fc.dictionary(word, anything, { maxKeys: 4 })
  if (schema.format === 'byte') return fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  return fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: fc.stringMatching(/^\w[\w.-]{0,8}\w$/) })
}

/** All required members and few others, because with many others one of them is always invalid. */
const membersOf = ({ properties = {}, required = [] }: Schema, document: Document): fc.Arbitrary<object> =>
  fc.tuple(fc.array(fc.constantFrom(...Object.keys(properties)), { maxLength: 3 }), fc.nat(9)).chain(([others, luck]) => {
    const names = new Set(luck === 0 ? others : [...required, ...others])
    return fc.record(Object.fromEntries([...names].map((name) => [name, valueFor(properties[name] ?? {}, document)])))
  })

interface Shape {
  readonly path: string
  readonly method: Method
  readonly operation: Described
  readonly inPath: readonly Parameter[]
}

const shapesOf = ({ paths }: Document): readonly Shape[] =>
  Object.entries(paths)
    .filter(([path]) => !SLOW_PATH.test(path))
    .flatMap(([path, { parameters = [], ...item }]) =>
      (['get', 'post', 'patch', 'delete', 'head'] as const).flatMap((method) => {
        const operation = item[method]
        return operation ? [{ path, method, operation, inPath: parameters }] : []
      }),
    )

function requestOf({ path, method, operation, inPath }: Shape, document: Document) {
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? ['application/json', undefined]
  return fc.record({
    method: fc.constant(method.toUpperCase()),
    path: fc
      .tuple(...inPath.map(({ schema }) => typed(schema, document)))
      .map((values) =>
        inPath.reduce((made, { name }, i) => made.replace(`{${name}}`, encodeURIComponent(String(values[i]))), path),
      ),
    query: fc
      .tuple(...(operation.parameters ?? []).map(({ schema }) => fc.option(typed(schema, document), { nil: undefined })))
      .map((values) => queryOf(operation.parameters ?? [], values)),
    body: body ? valueFor(body.schema, document) : fc.constant(undefined),
    type: fc.constant(type),
  })
}

function queryOf(parameters: readonly Parameter[], values: readonly unknown[]): Record<string, string | string[]> {
  const sent = parameters.map(({ name }, index) => [name, values[index]] as const).filter(([, value]) => value !== undefined)
  return Object.fromEntries(sent.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]))
}

const isSecondary = async (): Promise<boolean> => (await kernel.replication.readStatus()).mode === 'secondary'

/** The health endpoint answers with the requested status. */
const asksForStatus = (path: string, query: object) => path === '/sys/health' && Object.keys(query).length > 0

it(`the kernel answers ${RUNS} requests generated from its OpenAPI document with statuses below 500`, async () => {
  const document = await documentOf(kernel, token)
  const statuses = new Map<string, Set<number>>()
  const request = fc
    .constantFrom(...shapesOf(document))
    .chain((shape) => fc.tuple(fc.constant(shape), requestOf(shape, document)))
  await fc.assert(
    fc.asyncProperty(request, async ([shape, { method, path, query, body, type }]) => {
      const headers = { 'X-Service-Token': token, 'Content-Type': type }
      const { status, body: answer } = await kernel.handle({ method, path: `/v1${path}`, query, headers, body })
      expect(() => JSON.stringify(answer, (_, part) => (typeof part === 'bigint' ? String(part) : part))).not.toThrow()
      const { operationId } = shape.operation
      statuses.set(operationId, (statuses.get(operationId) ?? new Set()).add(status))
      // A sealed kernel refuses requests, and a secondary without a primary refuses writes.
      if (kernel.seal.state !== 'open' || (status === 503 && (await isSecondary()))) {
        await kernel.close()
        await begin()
      } else if (!asksForStatus(path, query)) expect(status, `${method} ${path}`).toBeLessThan(500)
      // A request may have revoked the token or removed a mount.
      if (status === 403) await kernel.close().then(begin)
    }),
    { numRuns: RUNS },
  )
  // Random values cannot be valid for all operations, such as those with key shares. The run is useful only if a third of the operations
  // succeed.
  const answered = [...statuses.values()].filter((seen) => seen.has(200) || seen.has(204)).length
  expect(answered / statuses.size).toBeGreaterThan(1 / 3)
})
