/**
 * `?pretty`: the same JSON, indented for human readers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonText } from '../../src/core/json/json-text.ts'
import { configWorld } from '../fixtures/configsvc.ts'
import { EVERY_CONFIG_OPERATION, type OperationWorld, operationWorld } from '../fixtures/configsvc-operations.ts'
import { turnsDuring } from './turns.ts'

/** Not covered: deleted records would be missing for the other cases; bootstrap works once; a logout needs a login. */
const OPERATIONS = EVERY_CONFIG_OPERATION.filter(
  ({ title, operation: { verb } }) => verb !== 'DELETE' && !['acl.bootstrap', 'service.logout'].includes(title),
)

describe('the query parameter pretty', () => {
  let world: OperationWorld
  beforeAll(async () => {
    world = await operationWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  it.each(OPERATIONS)('indents the response of $title', async (known) => {
    const { verb, kind } = known.operation
    const path = world.path(known, 'something')
    const { status, headers, body } = await world.ask(verb, `${path}?pretty`, world.body(known))
    expect([status, headers['Content-Type']]).toEqual([200, 'application/json'])
    expect(body).toBe(`${JSON.stringify(JSON.parse(body), null, 4)}\n`)
    if (kind === 'write') return
    expect(JSON.parse(body)).toEqual(JSON.parse(jsonText((await world.ask(verb, path, world.body(known))).body)))
  })
})

it('a response with pretty keeps every digit of a large number', async () => {
  await using world = await configWorld()
  const Config = { large: 12345678901234567890n, small: -98765432109876543210n, list: [18446744073709551617n] }
  expect((await world.ask('PUT', 'config', { Kind: 'proxy-defaults', Config })).status).toBe(200)
  for (const path of ['config/proxy-defaults/global', 'config/proxy-defaults'])
    for (const digits of ['12345678901234567890', '-98765432109876543210', '18446744073709551617'])
      expect((await world.ask('GET', `${path}?pretty`)).body).toContain(digits)
})

it('indented responses count towards the memory limit for concurrent requests', async () => {
  await using world = await configWorld()
  await world.ask('PUT', 'config', { Kind: 'proxy-defaults', Config: { text: 'x'.repeat(500_000) } })
  const read = () => world.ask('GET', 'config/proxy-defaults/global?pretty', undefined, '')
  const answers = await Promise.all(Array.from({ length: 160 }, read))
  const refused = answers.filter(({ status }) => status !== 200)
  expect([refused.length > 0, refused.length < 160]).toEqual([true, true])
  for (const { status, headers } of refused) expect([status, headers['Retry-After']]).toEqual([503, '1'])
  expect((await read()).status).toBe(200)
})

it('a large response is indented without blocking the event loop', async () => {
  await using world = await configWorld()
  const Config = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, { n: i, text: 'x'.repeat(60) }]))
  await world.ask('PUT', 'config', { Kind: 'proxy-defaults', Config })
  const read = (query: string) => turnsDuring(() => world.ask('GET', `config/proxy-defaults/global${query}`))
  const plain = await read('')
  const pretty = await read('?pretty')
  expect(pretty.turns - plain.turns).toBeGreaterThan(5)
  expect(JSON.parse(pretty.result.body)).toEqual(plain.result.body)
})
