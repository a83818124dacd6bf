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

it('takes members by their names in any case, and by their other names', () => {
  expect(wire(strict, { title: 'a' })).toEqual({ Title: 'a', Ports: [] })
  expect(wire(strict, { HEADING: 'a', PORTS: [{ number: 1, NAME: 'x' }] })).toEqual({
    Title: 'a',
    Ports: [{ Number: 1, Name: 'x' }],
  })
})

it('prefers the name to an alias, and the name as it is written to the same in another case', () => {
  for (const sent of [
    { Title: 'right', title: 'wrong', heading: 'wrong' },
    { heading: 'wrong', title: 'wrong', Title: 'right' },
    { heading: 'wrong', title: 'right' },
  ])
    expect(wire(strict, sent)).toMatchObject({ Title: 'right' })
})

it('refuses members that it lacks, by their paths, but for those that it ignores', () => {
  expect(() => wire(strict, { Title: 'a', Colour: 'red' })).toThrow('unknown field "it.Colour"')
  expect(() => wire(strict, { Title: 'a', Ports: [{ Number: 1 }, { Number: 2, Colour: '' }] })).toThrow(
    'unknown field "it.Ports[1].Colour"',
  )
  expect(wire(strict, { Title: 'a', hash: [1] })).toEqual({ Title: 'a', Ports: [] })
})

it('refuses wrong types and absent members, by their paths; null is absent', () => {
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

it('coerces where it is weak, and takes a list of one for the one', () => {
  expect(wire(weak, { Title: 7, On: 'true' })).toEqual({ Title: '7', On: true })
  expect(wire(weak, [{ On: 1 }])).toEqual({ On: true })
  expect(() => wire(weak, [{}, {}])).toThrow('it: must be an object')
})

it('takes typed values as they are declared, and copies nothing that it lacks', () => {
  expect(strict.fromTyped({ Title: 'a', Ports: [{ Number: 1 }] }, 'it')).toEqual({ Title: 'a', Ports: [{ Number: 1 }] })
  for (const [given, message] of [
    [{ title: 'a' }, 'it.title: unknown argument'],
    [{}, 'it.Title: is required'],
    [{ Title: 'a', Ports: [{ Number: '1' }] }, 'it.Ports[0].Number: must be a number'],
    [{ Title: 'a', Ports: 'x' }, 'it.Ports: must be an array of objects'],
    [7, 'it: must be an object'],
  ] as const)
    expect(() => strict.fromTyped(given, 'it')).toThrow(new TypeError(message))
})

it('counts members and elements before it reads them', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, 0]))
  expect(() => wire(strict, many)).toThrow(KernelError)
  expect(() => wire(strict, { Title: 'a', Ports: Array.from({ length: 10_001 }, () => ({ Number: 1 })) })).toThrow(
    'at most 10000',
  )
})

it('has members as parameters of an operation have them', () => {
  const fields = { Thing: strict }
  expect(decodeAll(fields, { Thing: strict.coerce({ Title: 'a' }, 'Thing') })).toEqual({ Thing: { Title: 'a', Ports: [] } })
})

it('refuses whatever else is sent with a 400, and nothing with another error', () => {
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
