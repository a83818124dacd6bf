/** Free data of typed calls: values that JSON cannot represent are refused with their path, in every field that accepts free data. */
import { setTimeout } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runToEnd, type Steps } from '../../../src/core/base/steps.ts'
import type { AnyField } from '../../../src/core/field/field.ts'
import { createDevKernel, type Kernel } from '../../../src/index.ts'
import { EVERY_OPERATION } from '../../fixtures/every-operation.ts'

class Account {
  readonly name = 'a'
}

const circle: Record<string, unknown> = { a: {} }
circle['a'] = { b: circle }

/** By description: a value that is refused, and the path of the invalid part inside it. */
const LOST: Readonly<Record<string, readonly [value: unknown, at?: string]>> = {
  'a Map': [new Map()],
  'a Set': [new Set()],
  'a Uint8Array': [new Uint8Array(1)],
  'a Buffer': [Buffer.from('a')],
  'a DataView': [new DataView(new ArrayBuffer(1))],
  'an ArrayBuffer': [new ArrayBuffer(1)],
  'an instance of a class': [new Account()],
  'an Error': [new Error('a')],
  'a boxed number': [Object(1)],
  'a regular expression': [/a/],
  'a promise': [Promise.resolve()],
  NaN: [Number.NaN],
  Infinity: [Number.POSITIVE_INFINITY],
  undefined: [undefined],
  'a symbol': [Symbol('a')],
  'a function': [() => 1],
  'a member under a symbol': [{ [Symbol('a')]: 1 }],
  'an invalid date': [new Date(Number.NaN)],
  'a form that is no JSON': [{ toJSON: () => undefined }],
  'a form that holds no JSON': [{ toJSON: () => ({ x: [new Map()] }) }, '.x[0]'],
  'half of a surrogate pair': ['\ud800'],
  'a name with half of a surrogate pair': [{ 'a\ud800': 1 }, '["a\\ud800"]'],
  'a sparse array': [Object.assign(new Array(3), { 0: 1, 2: 2 }), '[1]'],
  'a Map in another realm': [runInNewContext('new Map()')],
}

const shared = { a: 1 }

/** By description: a value that is accepted, and its form when read, if that differs. */
const CARRIED: Readonly<Record<string, readonly [value: unknown, read?: unknown]>> = {
  null: [null],
  texts: [['', '\u{1f511}', 'ä\u0000']],
  numbers: [[0, -1, 1.5, 1e300]],
  'a bigint': [2n ** 70n],
  'an object without a prototype': [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  'an object of another realm': [runInNewContext('({ a: [1, { b: null }] })'), { a: [1, { b: null }] }],
  'a date': [new Date(0), '1970-01-01T00:00:00.000Z'],
  'a URL': [new URL('https://a.example/'), 'https://a.example/'],
  'an object with a form': [{ toJSON: () => ({ a: [1] }) }, { a: [1] }],
  'the same object twice': [
    [shared, shared],
    [{ a: 1 }, { a: 1 }],
  ],
}

/** Record fields accept only their declared members. */
function takesAnyMember(name: string, field: AnyField): boolean {
  try {
    field.fromTyped({ anything: 'a' }, name)
    return true
  } catch {
    return false
  }
}

/** All fields of all operations that accept objects with any members, found through their definitions. */
const FREE = EVERY_OPERATION.flatMap((known) =>
  Object.entries(known.operation.fields as Readonly<Record<string, AnyField>>)
    .filter(([, field]) => field.schema['type'] === 'object' && field.schema['additionalProperties'] === undefined)
    .filter(([name, field]) => takesAnyMember(name, field))
    .map(([name, field]) => ({ title: `${known.title}, ${name}`, name, field })),
)

/** Reads a typed value as a call does: large values in steps, others at once. */
function read(field: AnyField, name: string, value: unknown): unknown {
  if (field.typedSteps && field.isLong?.(value)) return runToEnd(field.typedSteps(value, name) as Steps<unknown>)
  return field.fromTyped(value, name)
}

it('more than ten fields of operations accept objects with any members', () => expect(FREE.length).toBeGreaterThan(10))

describe.each(FREE)('an object with any members for $title', ({ name, field }) => {
  it('is refused with the path of a value that JSON cannot represent', () => {
    for (const [what, [value, at = '']] of Object.entries(LOST))
      for (const large of [[], Array.from({ length: 3000 }, () => 'x')]) {
        const data = { large, a: [1, { 'b-c': 0 }, { b: value }] }
        const place = `${name}.a[2].b${at}: `
        expect(() => read(field, name, data), what).toThrow(TypeError)
        expect(() => read(field, name, data), what).toThrow(place)
      }
  })
})

describe('the data of a secret', () => {
  let kernel: Kernel
  beforeAll(async () => {
    kernel = await createDevKernel()
  })
  afterAll(() => kernel.close())
  const written = async (data: object): Promise<unknown> => {
    await kernel.kv.writeSecret({ path: 'a', data: data as never })
    return (await kernel.kv.readSecret({ path: 'a' })).data
  }

  it('is read as it was written, or in its JSON form', async () => {
    for (const [what, [value, shown = value]] of Object.entries(CARRIED))
      for (const large of [[], Array.from({ length: 3000 }, () => 'x')])
        expect(await written({ value, large }), what).toEqual({ value: shown, large })
  })

  it('is refused before anything is written if JSON cannot represent it', async () => {
    for (const [what, [value]] of Object.entries(LOST)) {
      const write = kernel.kv.writeSecret({ path: 'none', data: { a: { b: value } } as never })
      await expect(write, what).rejects.toThrow(/^data\.a\.b/)
    }
    await expect(kernel.kv.readSecret({ path: 'none' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  })

  it('is refused with quoted member names in the path if they are no identifiers, and if it contains itself', async () => {
    await expect(written({ 'a-b': { '': Number.NaN } })).rejects.toThrow('data["a-b"][""]: NaN is not a JSON value')
    await expect(written(circle)).rejects.toThrow(/^data\.a\.b: contains itself$/)
    const deep: unknown[] = []
    let at = deep
    for (let level = 0; level < 20_000; level++) {
      const next: unknown[] = []
      at.push(next)
      at = next
    }
    await expect(written({ deep })).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
  })

  it('yields to the event loop while a large value is read', async () => {
    const list = Array.from({ length: 200_000 }, (_, index) => ({ index }))
    let turns = 0
    const counting = new AbortController()
    const count = (async () => {
      for (; !counting.signal.aborted; turns++) await setTimeout(0)
    })()
    await kernel.kv.writeSecret({ path: 'large', data: { list } })
    counting.abort()
    await count
    expect(turns).toBeGreaterThan(5)
  })
})
