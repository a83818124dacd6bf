/**
 * The rule for names in paths, as in Vault: a path with an invalid name does not exist. The answer is a 404 with the rule. Tried for every
 * operation with a name in its path, in typed calls and calls by path.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NAME_PATTERN } from '../../src/core/field/coercion.ts'
import { typedView } from '../../src/core/request/typed-view.ts'
import { kv2 } from '../../src/engines/kv/index.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { ENGINES } from '../fixtures/all-engines.ts'
import { EVERY_OPERATION, fill, furnish, furnishedPorts, type Listed } from '../fixtures/good-requests.ts'

/** Invalid names, and path segments that are invalid everywhere except in paths of secrets, leases and mounts. */
const NO_NAMES = ['x.', '-x', 'x-', '.x', 'a b', 'a*', 'é']
const NO_SEGMENTS = ['x.']
const FREE = new Set(['kv.*path', 'kv-v2.+path', 'kv-v2.*path', 'cubbyhole.*path', 'prefix', 'lease_id', 'system.consoleMount'])

interface Part {
  readonly listed: Listed
  readonly capture: string
  readonly wrong: string
}

const isFree = ({ title, operation }: Listed, mark: string, capture: string): boolean =>
  FREE.has(`${title.split('.')[0]}.${mark}${capture}`) ||
  FREE.has(capture) ||
  FREE.has(title) ||
  // A path of only a mount name has no segment that may end in a period. The tests of mounts cover it.
  operation.path === '/*path'

const PARTS: readonly Part[] = EVERY_OPERATION.flatMap((listed) =>
  [...listed.operation.path.matchAll(/\/([:*+])(\w+)/g)].flatMap(([, mark = '', capture = '']) => {
    if (isFree(listed, mark, capture)) return []
    const isName = listed.operation.fields[capture]?.schema['pattern'] === NAME_PATTERN.source
    return (isName ? NO_NAMES : NO_SEGMENTS).map((wrong) => ({ listed, capture, wrong }))
  }),
)
const CASES = PARTS.map((part) => [part.listed.title, part.capture, part.wrong, part] as const)

let kernel: Kernel
beforeAll(async () => {
  kernel = await createDevKernel({ ports: furnishedPorts() })
  await furnish((method, path, body) => ask(method, path, body))
})
afterAll(() => kernel.close())

const ask = (method: string, path: string, body?: object) =>
  kernel.handle({
    method,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': kernel.rootToken, 'Content-Type': 'application/merge-patch+json' },
    ...(body ? { body } : {}),
  })

const rule = (capture: string) => new RegExp(`^unsupported path: ${capture}: must `)

it('this test covers every engine that has names in paths', () => {
  expect([...new Set(CASES.map(([title]) => title.split('.')[0]))].sort()).toEqual([
    'cloud',
    'database',
    'identity',
    'orchestrator',
    'system',
    'token',
    'transit',
  ])
})

describe('an invalid name in a call by path', () => {
  it.each(CASES)('is refused with 404 by %s as the parameter %s: %j', async (_, capture, wrong, { listed }) => {
    const { verb, path, body } = fill(listed, { [capture]: wrong })
    const answer = await ask(verb, path, verb === 'GET' || verb === 'DELETE' ? undefined : body)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ errors: [expect.stringMatching(rule(capture))] })
  })

  it('is reported only to a caller with a valid token', async () => {
    const answer = await kernel.handle({ method: 'GET', path: '/v1/transit/keys/x.', headers: { 'X-Service-Token': 's.nobody' } })
    expect(answer.status).toBe(403)
  })
})

describe('an invalid name in a typed call', () => {
  const engines = [...ENGINES, kv2]
  const viewOf = ({ title, place }: Listed) => {
    const engine = engines.find(({ type }) => title.startsWith(`${type}.`))
    if (!engine) throw new Error(`no engine of ${title}`)
    const { view } = kernel as unknown as { view: (view: unknown, type: string, path: string) => unknown }
    const made = view.call(kernel, typedView(engine.operations), engine.type, place)
    return made as Readonly<Record<string, (args: object) => Promise<unknown>>>
  }

  it.each(CASES)('is refused with 404 by %s as the parameter %s: %j', async (title, capture, wrong, { listed }) => {
    const name = title.slice(title.indexOf('.') + 1)
    // Without other arguments, because the path is checked before missing arguments.
    const known = Object.fromEntries(
      [...listed.operation.path.matchAll(/\/[:*+](\w+)/g)].map(([, other = '']) => [other, other === capture ? wrong : 'a']),
    )
    const required = { ...REQUIRED[title], ...known }
    await expect(viewOf(listed)[name]?.(required)).rejects.toMatchObject({
      code: 'ERR_UNSUPPORTED_PATH',
      status: 404,
      message: expect.stringMatching(rule(capture)),
    })
  })
})

const bytes = new Uint8Array(1)
/** The required arguments of typed calls. */
const REQUIRED: Readonly<Record<string, object>> = {
  'transit.hash': { input: bytes },
  'transit.hmac': { input: bytes },
  'transit.sign': { input: bytes },
  'transit.verify': { input: bytes },
}
