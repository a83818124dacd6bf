import { afterAll, beforeAll, expect, it } from 'vitest'
import { jsonText } from '../../src/core/json/json-text.ts'
import { kv2 } from '../../src/engines/kv/index.ts'
import { type Kernel, memoryStorage } from '../../src/index.ts'
import fc from '../fixtures/fast-check.ts'
import { openKv2 } from '../fixtures/kv-mounts.ts'
import { runs } from '../fixtures/runs.ts'

const RUNS = runs({ quick: 1500, soak: 50_000 })

/** Part of every secret value. */
const MARK = 'hunter2'

const SHAPES = Object.values(kv2.operations).map(({ verb, path, fields }) => ({ verb, path, fields: Object.keys(fields) }))

let kernel: Kernel
beforeAll(async () => {
  kernel = await openKv2({ storage: memoryStorage({ maxOps: 128 }), initialize: true })
})
afterAll(() => kernel.close())

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'x',
    '-1',
    '1e400',
    0,
    -1,
    1.5,
    1,
    2,
    true,
    false,
    {},
    [],
    [1, 2],
    '1,2',
    ['x'],
    '1h',
    '-1h',
  ),
  fc.bigInt(),
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const secret = fc.dictionary(
  fc.oneof(fc.constantFrom('a', '__proto__', 'constructor'), fc.string()),
  fc.oneof(fc.constant(MARK), fc.constant(null), odd),
  { maxKeys: 4 },
)
const member = fc.oneof(
  fc.tuple(fc.constant('data'), fc.oneof({ weight: 4, arbitrary: secret }, { weight: 1, arbitrary: odd })),
  fc.tuple(fc.constant('options'), fc.oneof(odd, fc.record({ cas: odd }))),
  fc.tuple(fc.constant('custom_metadata'), fc.oneof(odd, fc.dictionary(fc.string(), odd, { maxKeys: 4 }))),
  fc.tuple(
    fc.constantFrom('versions', 'max_versions', 'cas_required', 'delete_version_after', 'metadata_cas', 'depth', 'other'),
    odd,
  ),
)

const part = fc.constantFrom('a', 'a', 'b', 'data', 'metadata', 'config', '', '__proto__', 'ü x', 'x'.repeat(2000))
const request = fc.record({
  shape: fc.constantFrom(...SHAPES),
  method: fc.option(fc.constantFrom('GET', 'LIST', 'POST', 'PATCH', 'DELETE', 'HEAD'), { freq: 5 }),
  path: fc.array(part, { minLength: 1, maxLength: 3 }),
  members: fc.array(member, { maxLength: 4 }),
  query: fc.dictionary(
    fc.constantFrom('version', 'depth', 'after', 'limit', 'list'),
    fc.constantFrom('', '0', '1', '-1', 'x', '9007199254740993', '1.5', 'true'),
    { maxKeys: 2 },
  ),
})

it('the kv2 engine answers random requests with statuses below 500 and reveals no secrets in errors', async () => {
  const token = kernel.rootToken as string
  await fc.assert(
    fc.asyncProperty(request, async ({ shape, method, path, members, query }) => {
      const verb = method ?? shape.verb
      const at = shape.path.replaceAll(/[:*+]\w+/g, () => path.map(encodeURIComponent).join('/'))
      const headers = {
        'X-Service-Token': token,
        ...(verb === 'PATCH' ? { 'Content-Type': 'application/merge-patch+json' } : {}),
      }
      const body = Buffer.from(jsonText(Object.fromEntries(members)))
      const answer = await kernel.handle({ method: verb, path: `/v1/kv2${at}`, headers, query, body })
      expect(answer.status).toBeLessThan(500)
      const text = answer.body === undefined ? '' : jsonText(answer.body as object)
      if (answer.status < 400) return
      expect(Array.isArray((answer.body as { errors?: unknown }).errors)).toBe(true)
      expect(text).not.toContain(MARK)
    }),
    { numRuns: RUNS },
  )
})
