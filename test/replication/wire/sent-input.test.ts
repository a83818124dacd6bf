/** The primary parses forwarded input again, and must get the same values as the secondary. */
import { expect, it } from 'vitest'
import { runToEnd } from '../../../src/core/base/steps.ts'
import type { AnyField } from '../../../src/core/field/field.ts'
import { parseAgain } from '../../../src/core/field/parse-again.ts'
import { sentInput } from '../../../src/core/field/sent-input.ts'
import { pack } from '../../../src/sys/replication/wire/packed.ts'
import { unpack } from '../../../src/sys/replication/wire/unpack.ts'
import { EVERY_OPERATION, plainValue } from '../../fixtures/every-operation.ts'

const FIELDS = EVERY_OPERATION.filter(({ operation }) => operation.forwardable).flatMap(({ title, fields }) =>
  Object.entries(fields).map(([name, field]) => ({ title: `${title}: ${name}`, name, field })),
)

const VALUES: readonly unknown[] = [
  '', 'a', 'a,b', ' a , b ', 'a=b', '1h', '90s', '-1', '0', 'system', 'true', 'YQ==', 'a/b', 'A',
  0, 1, -1, 7.5, true, false, [], ['a'], [' a '], ['a', 'b=c'], [1, 2], {}, { a: 'b' }, { a: 1 }, { a: null }, { cas: 0 }, { cas: '1' },
  { max_versions: 1, custom_metadata: { a: 'b' } }, { custom_metadata: null }, { default_lease_ttl: '1h', listing_visibility: 'unauth' },
  { default_lease_ttl: 'system', max_lease_ttl: '' }, { big: 12345678901234567890n, list: [1, { b: null }] },
  new Uint8Array(), new Uint8Array([1, 2, 3]),
] // biome-ignore format: a table

type Way = (field: AnyField, value: unknown, name: string) => unknown

const TYPED: Way = (field, value, name) => field.fromTyped(value, name)

const ways: readonly Way[] = [
  (field, value, name) => field.decode(field.coerce(value, name), name),
  (field, value, name) => field.decode(field.strict(value, name), name),
  TYPED,
]

function attempted(parse: () => unknown): { readonly value: unknown } | undefined {
  try {
    return { value: parse() }
  } catch {
    return undefined
  }
}

it('the primary parses forwarded input to the same value as the secondary, for every field and value', () => {
  let accepted = 0
  for (const { title, name, field } of FIELDS) {
    for (const value of [...VALUES, plainValue(field, 'path'), plainValue(field, 'typed')]) {
      for (const way of ways) {
        // A JSON body contains no bytes.
        if (way !== TYPED && value instanceof Uint8Array) continue
        const parsed = attempted(() => way(field, value, name))
        if (!parsed || parsed.value === undefined) continue
        accepted++
        const table = { [name]: { ...field, required: false } }
        const sent = unpack(pack(sentInput(table, { [name]: parsed.value })))?.value as Readonly<Record<string, unknown>>
        expect(runToEnd(parseAgain(table, sent)), `${title} = ${String(value)}`).toEqual({ [name]: parsed.value })
      }
    }
  }
  expect(accepted).toBeGreaterThan(1000)
})

it('the primary refuses forwarded input with unknown or missing members', () => {
  const { field, name } = FIELDS.find(({ field }) => field.required) as (typeof FIELDS)[number]
  expect(() => runToEnd(parseAgain({ [name]: field }, { [name]: 'a', other: 1 }))).toThrow(TypeError)
  expect(() => runToEnd(parseAgain({ [name]: field }, {}))).toThrow(TypeError)
})
