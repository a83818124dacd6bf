/**
 * Rules for every operation of the configuration service, generated from the definitions.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AnyConfigOperation, ConfigOperations } from '../../src/configsvc/operation.ts'
import { FACADES } from '../../src/configsvc/operations.ts'
import type { AnyField } from '../../src/core/field/field.ts'
import type { ConfigWorld } from '../fixtures/configsvc.ts'
import {
  EVERY_CONFIG_OPERATION,
  type KnownOperation,
  type Members,
  NO_ID,
  type OperationWorld,
  operationWorld,
} from '../fixtures/configsvc-operations.ts'

/** Operations that require no permission, and why. */
const FREE: Readonly<Record<string, string>> = {
  'acl.bootstrap': 'there is no token before it; it works once',
  'acl.authorizeMany': 'tells callers about themselves',
  'acl.authorize': 'no request leads to it',
  'acl.explain': 'no request leads to it',
  'tokens.readSelf': 'shows callers what they sent',
  'entries.apply': 'the kind says who may',
  'entries.get': 'the kind says who may',
  'entries.list': 'the kind says who may',
  'entries.delete': 'the kind says who may',
  'service.login': 'whoever logs in has no token yet',
  'service.logout': 'ends the token of the caller',
}

let world: OperationWorld
beforeAll(async () => {
  world = await operationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const writes = EVERY_CONFIG_OPERATION.filter(({ operation: { verb } }) => verb === 'PUT' || verb === 'POST')
/** Operations whose body is an object with members. */
const withMembers = writes.filter(({ operation }) => operation.whole === undefined)
const guarded = EVERY_CONFIG_OPERATION.filter(({ operation }) => operation.permission)
const membersOf = ({ operation }: KnownOperation) => Object.entries(operation.body as Readonly<Record<string, AnyField>>)

/** Each JSON type by its name in schemas, with a value that is not empty. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [true, false],
  number: [7.5, 1e300],
  integer: [7, 0],
  string: ['text', '7', 'true'],
  array: [[], [7], [[]], [null, 7]],
  object: [{}, { '': 7 }],
}

/** Fractions are not a type in schemas. */
const fits = (field: AnyField, type: string): boolean => {
  const types = [field.schema['type']].flat()
  return types.includes(type) || (types.includes('integer') && type === 'number')
}

describe('a permission', () => {
  it('is required by every operation except those that this test lists with a reason', () => {
    const all = Object.entries<ConfigOperations>(FACADES).flatMap(([facade, operations]) =>
      Object.entries<AnyConfigOperation>(operations).map(([name, operation]) => [`${facade}.${name}`, operation] as const),
    )
    const routed = EVERY_CONFIG_OPERATION.map(({ title, operation }) => [title, operation] as const)
    const free = new Map([...all, ...routed].filter(([, { permission }]) => !permission))
    expect([...free.keys()].sort()).toEqual(Object.keys(FREE).sort())
  })

  it('is acl:read for operations that read and acl:write for operations that write', () => {
    for (const { title, operation } of guarded)
      expect([title, operation.permission]).toEqual([title, operation.kind === 'write' ? 'acl:write' : 'acl:read'])
  })

  it.each(guarded)('that is missing makes $title fail with the same message whether or not the record exists', async (known) => {
    const secrets = ['', world.weak, NO_ID, ...(known.operation.kind === 'write' ? [world.reader] : [])]
    for (const secret of secrets) {
      const body = world.body(known)
      const [something, nothing] = [
        await world.send(known, body, 'something', secret),
        await world.send(known, body, 'nothing', secret),
      ]
      expect(something).toMatchObject({ status: 403, headers: { 'Content-Type': 'text/plain' } })
      expect(something.body).toMatch(secret === NO_ID ? /^ACL not found$/ : /^Permission denied: .* lacks permission 'acl:\w+'$/)
      expect(nothing).toEqual(something)
    }
  })

  it.each(guarded)('that is granted lets $title succeed', async (known) => {
    await using fresh = await operationWorld()
    expect(await fresh.send(known, fresh.body(known))).toMatchObject({ status: 200 })
    if (known.operation.kind === 'read')
      expect(await fresh.send(known, fresh.body(known), 'something', fresh.reader)).toMatchObject({ status: 200 })
  })
})

describe('a request body', () => {
  const good = (known: KnownOperation) => (world.body(known) ?? {}) as Members

  it.each(withMembers)('for $title is refused if it has an unknown member of any name', async (known) => {
    for (const name of ['unknown', '', 'constructor', 'toString', 'hasOwnProperty', '\ud800', 'Name ', 'ns']) {
      const body = { ...good(known), [name]: 1 }
      const { status, body: text } = await world.send(known, body)
      expect([status, text]).toEqual([400, expect.stringMatching(/^\w[\w ]* decoding failed: .*unknown field/)])
    }
    const members = JSON.stringify(good(known)).slice(1, -1)
    const own = new TextEncoder().encode(`{${members}${members === '' ? '' : ','}"__proto__": {"Name": "polluted"}}`)
    expect(await world.send(known, own)).toMatchObject({ status: 400, body: expect.stringContaining('unknown field') })
    expect(({} as { Name?: string }).Name).toBeUndefined()
  })

  const members = withMembers.flatMap((known) =>
    membersOf(known).map(([name, field]) => ({ known, title: known.title, name, field })),
  )

  it.each(members)('for $title is refused if the type of $name is wrong', async ({ known, name, field }) => {
    for (const [type, values] of Object.entries(VALUES)) {
      if (fits(field, type)) continue
      for (const value of values) {
        // PHP writes an empty map as an empty array.
        if (field.schema['type'] === 'object' && JSON.stringify(value) === '[]') continue
        const { status, body } = await world.send(known, { ...good(known), [name]: value })
        expect([value, status, body]).toEqual([value, 400, expect.stringContaining(name)])
      }
    }
    if (field.schema['type'] === 'array')
      for (const value of [[7], [[]], [true], [[{}]]])
        expect(await world.send(known, { ...good(known), [name]: value })).toMatchObject({ status: 400 })
  })

  it.each(members)('for $title has the same result with null for $name as without $name', async ({ known, name }) => {
    const outcomes = await Promise.all(
      [true, false].map(async (isNull) => {
        const { [name]: _, ...rest } = good(known)
        const { status, body } = await world.send(known, isNull ? { ...rest, [name]: null } : rest)
        return { status, members: typeof body === 'string' ? body : Object.keys(body).sort() }
      }),
    )
    expect(outcomes[0]).toEqual(outcomes[1])
    expect(outcomes[0]?.status).toBeLessThan(500)
  })

  const inCase = (value: unknown, change: (name: string) => string): unknown => {
    if (Array.isArray(value)) return value.map((element) => inCase(element, change))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name), inCase(member, change)]))
  }

  it.each(writes.filter(({ title }) => !/bootstrap|logout|authMethods|entries/.test(title)))(
    'for $title can have member names in any case',
    async (known) => {
      for (const change of [(name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()])
        expect(await world.send(known, inCase(world.body(known), change))).toMatchObject({ status: 200 })
    },
  )

  it.each(writes)('for $title is refused if it is not Unicode, not JSON, not an object or too deeply nested', async (known) => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    const bodies = [
      bytes('{'),
      bytes('\u0000\u0001'),
      bytes('7'),
      bytes('"text"'),
      bytes('true'),
      bytes('['.repeat(100_000)),
      bytes(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
      new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
      bytes('{"a":1}{"a":1}'),
      bytes(known.operation.whole === 'requests' ? '{}' : '[]'),
      bytes('{"Name":"a" "b"}'),
      bytes('NaN'),
    ]
    for (const body of bodies) {
      const answer = await world.send(known, body)
      expect([new TextDecoder().decode(body.slice(0, 20)), answer.status]).toEqual([expect.anything(), 400])
    }
  })

  it.each(withMembers)('for $title gets no 5xx if it repeats a member', async (known) => {
    for (const [name] of membersOf(known)) {
      const twice = new TextEncoder().encode(`{"${name}":"a","${name}":"b","${name.toLowerCase()}":"c"}`)
      expect((await world.send(known, twice)).status).toBeLessThan(500)
    }
  })
})

describe('the path', () => {
  const paths = [...new Set(EVERY_CONFIG_OPERATION.map(({ operation: { path } }) => path))]
  const at = (path: string) => EVERY_CONFIG_OPERATION.filter(({ operation }) => operation.path === path)

  const shortOfItsEnd = (path: string): boolean =>
    EVERY_CONFIG_OPERATION.some(
      ({ operation }) => operation.requiresLastSegment && operation.path.replace(/\/[^/]*$/, '') === path,
    )

  it.each(paths)('%s accepts only its documented verbs', async (path) => {
    const all = at(path)
    const verbs = all.map(({ operation: { verb } }) => verb)
    const text = world.path(all[0] as KnownOperation, 'something')
    for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'LIST', 'TRACE', 'get', '', '__proto__', 'OPTIONS', 'HEAD']) {
      if (verbs.includes(method as never) || (method === 'HEAD' && verbs.includes('GET'))) continue
      const { status, headers } = await world.ask(method, text)
      // For a DELETE without the last path segment, the response is that of an unknown path.
      if (method === 'DELETE' && shortOfItsEnd(path)) {
        expect(status).toBe(404)
        continue
      }
      expect([method, status]).toEqual([method, method === 'OPTIONS' ? 200 : 405])
      expect(new Set(headers['Allow']?.split(','))).toEqual(new Set(['OPTIONS', ...verbs]))
    }
  })

  it.each(paths.filter((path) => /[:+]/.test(path)))(
    '%s accepts any text in place of its parameter without a 5xx',
    async (path) => {
      const texts = [
        '__proto__',
        'constructor',
        '\ud800',
        '%',
        '%00',
        '%2e%2e',
        '..',
        '.',
        ' ',
        '\u0000',
        'ä',
        '*',
        'x'.repeat(100_000),
        'a\nb',
        '😀',
      ]
      for (const known of at(path))
        for (const text of texts) {
          const filled = path.replaceAll(/[:+](\w+)/g, () => text)
          const { status } = await world.service.handle({
            method: known.operation.verb,
            path: `/v1${filled}`,
            headers: { 'X-Config-Token': NO_ID },
          })
          expect([text.slice(0, 20), [400, 403, 404, 405].includes(status), status]).toEqual([text.slice(0, 20), true, status])
          const own = await world.service.handle({
            method: known.operation.verb,
            path: `/v1${filled}`,
            headers: { 'X-Config-Token': world.reader },
          })
          expect(own.status).toBeLessThan(500)
          expect(own.status).toBeGreaterThanOrEqual(200)
        }
    },
  )
})

describe('typed methods', () => {
  const facades = (service: ConfigWorld['service']) =>
    Object.entries<ConfigOperations>(FACADES).flatMap(([facade, operations]) =>
      Object.entries<AnyConfigOperation>(operations).map(([name, operation]) => ({
        title: `${facade}.${name}`,
        operation,
        call: (args: unknown) => {
          const { [facade]: methods } = service as unknown as Record<
            string,
            Record<string, (...args: unknown[]) => Promise<unknown>>
          >
          return methods?.[name]?.(...inOrder(operation, args)) as Promise<unknown>
        },
      })),
    )

  it('reject arguments of a wrong type with a TypeError', async () => {
    for (const { title, operation, call } of facades(world.service)) {
      for (const args of [7, 'text', null, true, Symbol('s')])
        await expect(call(args), `${title} ${String(args)}`).rejects.toThrow(TypeError)
      await expect(call({ unknown: 1 }), title).rejects.toThrow(TypeError)
      for (const name of Object.keys({ ...operation.body, ...operation.fields }))
        for (const value of [Symbol('s'), 7n, () => {}]) {
          const refusal = await call({ ...required(operation, name), [name]: value }).then(
            () => 'nothing',
            (error: unknown) => error,
          )
          expect(refusal, `${title} ${name} ${String(value)}`).toBeInstanceOf(TypeError)
        }
    }
  })
})

/** If the method has a leading argument, it is taken out of the named ones. */
function inOrder({ leads }: AnyConfigOperation, args: unknown): readonly unknown[] {
  if (leads === undefined || typeof args !== 'object' || args === null) return [args]
  const { [leads]: lead = { Kind: 'mesh' }, ...others } = args as Members
  return [lead, others]
}

/** The other required arguments. */
function required({ body, fields }: AnyConfigOperation, except: string): Members {
  const all = Object.entries<AnyField>({ ...body, ...fields }).filter(([name, field]) => field.required && name !== except)
  return Object.fromEntries(
    all.map(([name, { schema }]) => [name, schema['type'] === 'array' ? [] : schema['type'] === 'object' ? {} : 'a']),
  )
}
