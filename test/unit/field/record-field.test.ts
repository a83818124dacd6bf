import { expect, it } from 'vitest'
import { KernelError } from '../../../src/core/base/errors.ts'
import { f } from '../../../src/core/field/fields.ts'
import { decodeAll } from '../../../src/core/field/parse.ts'
import fc from '../../fixtures/fast-check.ts'

const PORT = { Number: f.int('A number.'), Name: f.strictText('A name.').optional() }

const strict = f.record(
  { Title: f.strictText('A title.'), Ports: f.records(PORT, 'Ports.').default([]), Meta: f.pairs('Free.').optional() },
  'A thing.',
  { aliases: { heading: 'Title' }, ignores: ['Hash'] },
)

const weak = f.record({ Title: f.text('A title.').optional(), On: f.bool('Whether.').optional() }, 'A thing.', { weak: true })

const wire = (field: typeof strict | typeof weak, raw: unknown): unknown => field.decode(field.coerce(raw, 'it'), 'it')

it('a record field accepts member names in any case and their aliases', () => {
  expect(wire(strict, { title: 'a' })).toEqual({ Title: 'a', Ports: [] })
  expect(wire(strict, { HEADING: 'a', PORTS: [{ number: 1, NAME: 'x' }] })).toEqual({
    Title: 'a',
    Ports: [{ Number: 1, Name: 'x' }],
  })
})

it('a record field prefers the exact member name to an alias and to another case', () => {
  for (const sent of [
    { Title: 'right', title: 'wrong', heading: 'wrong' },
    { heading: 'wrong', title: 'wrong', Title: 'right' },
    { heading: 'wrong', title: 'right' },
  ])
    expect(wire(strict, sent)).toMatchObject({ Title: 'right' })
})

it('a record field refuses an unknown member and reports its path, unless the field is defined to ignore that member', () => {
  expect(() => wire(strict, { Title: 'a', Colour: 'red' })).toThrow('unknown field "it.Colour"')
  expect(() => wire(strict, { Title: 'a', Ports: [{ Number: 1 }, { Number: 2, Colour: '' }] })).toThrow(
    'unknown field "it.Ports[1].Colour"',
  )
  expect(wire(strict, { Title: 'a', hash: [1] })).toEqual({ Title: 'a', Ports: [] })
})

it('a record field refuses wrong types and missing or null members with their path', () => {
  for (const [sent, message] of [
    [{ Title: 7 }, 'it.Title: must be a string'],
    [{ Title: null }, 'it.Title: is required'],
    [{ Title: 'a', Ports: {} }, 'it.Ports: must be a list of objects'],
    [{ Title: 'a', Ports: [7] }, 'it.Ports[0]: must be an object'],
    [{ Title: 'a', Ports: [{ Name: 'x' }] }, 'it.Ports[0].Number: is required'],
    [[{ Title: 'a' }], 'it: must be an object'],
    ['a', 'it: must be an object'],
  ] as const)
    expect(() => wire(strict, sent)).toThrow(message)
  expect(wire(strict, { Title: 'a', Ports: null })).toEqual({ Title: 'a', Ports: [] })
})

it('a weak record field converts its members to their types, and accepts a list of one object', () => {
  expect(wire(weak, { Title: 7, On: 'true' })).toEqual({ Title: '7', On: true })
  expect(wire(weak, [{ On: 1 }])).toEqual({ On: true })
  expect(() => wire(weak, [{}, {}])).toThrow('it: must be an object')
})

it('a record field accepts typed values only as declared, and adds no defaults to them', () => {
  expect(strict.fromTyped({ Title: 'a', Ports: [{ Number: 1 }] }, 'it')).toEqual({ Title: 'a', Ports: [{ Number: 1 }] })
  for (const [input, message] of [
    [{ title: 'a' }, 'it.title: unknown argument'],
    [{}, 'it.Title: is required'],
    [{ Title: 'a', Ports: [{ Number: '1' }] }, 'it.Ports[0].Number: must be a number'],
    [{ Title: 'a', Ports: 'x' }, 'it.Ports: must be an array of objects'],
    [7, 'it: must be an object'],
  ] as const)
    expect(() => strict.fromTyped(input, 'it')).toThrow(new TypeError(message))
})

it('a record field refuses too many members or list elements', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, 0]))
  expect(() => wire(strict, many)).toThrow(KernelError)
  expect(() => wire(strict, { Title: 'a', Ports: Array.from({ length: 10_001 }, () => ({ Number: 1 })) })).toThrow(
    'at most 10000',
  )
})

it('decodeAll decodes a record field as a parameter of an operation', () => {
  const fields = { Thing: strict }
  expect(decodeAll(fields, { Thing: strict.coerce({ Title: 'a' }, 'Thing') })).toEqual({ Thing: { Title: 'a', Ports: [] } })
})

it('a record field accepts a random JSON value or refuses it with status 400', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (sent) => {
      for (const field of [strict, weak])
        try {
          wire(field, sent)
        } catch (error) {
          expect(error).toMatchObject({ name: 'KernelError', status: 400 })
        }
    }),
  )
})
