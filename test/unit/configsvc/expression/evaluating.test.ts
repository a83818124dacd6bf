/** Validates expressions against shapes and evaluates them for data. */
import { describe, expect, it } from 'vitest'
import {
  boolShape,
  checkExpression,
  explainMatch,
  floatShape,
  intShape,
  listShape,
  mapShape,
  matches,
  otherMapShape,
  parseExpression,
  recordShape,
  type Shape,
  textShape,
  uintShape,
} from '../../../../src/configsvc/expression/index.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'

const check = (expression: string, shape: Shape) => checkExpression(parseExpression(expression), shape)

function refusal(expression: string, shape: Shape): string {
  try {
    check(expression, shape)
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect(error).toMatchObject({ status: 400 })
    return (error as Error).message
  }
  throw new Error(`was accepted: ${expression}`)
}

const FLAT = recordShape({ Int: intShape(), Uint8: uintShape(8), Float32: floatShape(32), Bool: boolShape, String: textShape })
const FLAT_DATUM = { Int: -1, Uint8: 7, Float32: 1.1, Bool: true, String: 'exported' }

const MAPS = mapShape(mapShape(boolShape))
const MAPS_DATUM = { foo: { bar: true, baz: false }, abc: null }

const NESTED = recordShape({
  Nested: recordShape({
    Map: mapShape(textShape),
    MapOfStructs: mapShape(recordShape({ Foo: intShape() })),
    SliceOfInts: listShape(intShape()),
    SliceOfStructs: listShape(recordShape({ X: intShape(), Y: intShape() })),
    Lists: listShape(listShape(textShape)),
    ByNumber: otherMapShape,
  }),
  TopInt: intShape(),
})
const NESTED_DATUM = {
  Nested: {
    Map: { foo: 'bar', bar: 'baz', abc: '123' },
    MapOfStructs: { one: { Foo: 42 } },
    SliceOfInts: [1, 3, 5, 7, 9],
    SliceOfStructs: [
      { X: 1, Y: 2 },
      { X: 3, Y: 5 },
    ],
    Lists: [['a']],
    ByNumber: {},
  },
  TopInt: 5,
}

describe('evaluation of expressions', () => {
  it.each([
    ['Int == -1', true],
    ['Int == "-0x1"', true],
    ['Uint8 != 99', true],
    ['Float32 == 1.1', true],
    ['Float32 == "11e-1"', true],
    ['Bool != false', true],
    ['Bool == T', true],
    ['port in String', true],
    ['part in String', false],
    ['String contains ""', true],
    ['String matches `^ex.*`', true],
    ['String matches `port`', true],
    ['String matches `(?i)^EX\\x70ORTED\\z`', true],
    ['String matches `^[[:lower:]]{8}$`', true],
    ['String not matches `^anchored.*`', true],
    ['not String matches `^anchored.*` and Int != 3', true],
  ])('returns the expected result for a record of scalars: %s', (expression, expected) => {
    expect(matches(check(expression, FLAT), FLAT_DATUM)).toBe(expected)
  })

  it.each([
    ['bar in foo', true],
    ['arg not in foo', true],
    ['abc is empty', true],
    ['foo in abc', false],
    ['foo not in abc', true],
    ['foo.baz == false', true],
    ['abc.x == true', false],
    ['abc.x != true', true],
    ['toString.x == true', false],
    ['constructor is empty', true],
    ['foo["__proto__"] == true', false],
    ['hasOwnProperty in foo', false],
  ])('returns the expected result for maps: %s', (expression, expected) => {
    expect(matches(check(expression, MAPS), MAPS_DATUM)).toBe(expected)
  })

  it.each([
    ['Nested.Map.foo contains ba', true],
    ['Nested.SliceOfStructs.X == 1', true],
    ['Nested.SliceOfStructs.X != 1', true],
    ['Nested.SliceOfStructs.Y == 4', false],
    ['Nested.Map.notfound == 4', false],
    ['Nested.MapOfStructs is empty or (Nested.SliceOfInts contains 7 and 9 in Nested.SliceOfInts)', true],
    ['Nested.MapOfStructs.one.Foo == 42', true],
    ['Nested.MapOfStructs.two.Foo == 0', false],
    ['8 not in Nested.SliceOfInts', true],
    ['Nested.Lists is not empty', true],
    ['Nested.ByNumber is empty', true],
  ])('returns the expected result for nested data: %s', (expression, expected) => {
    expect(matches(check(expression, NESTED), NESTED_DATUM)).toBe(expected)
  })

  it.each([
    ['==', 'x', false],
    ['!=', 'x', true],
    ['contains', 'x', false],
    ['not contains', 'x', true],
    ['matches', '""', false],
    ['not matches', '""', true],
  ])('returns true for a missing map key only if the operator is negated: %s %s', (operator, value, expected) => {
    const checked = check(`value.claim ${operator} ${value}`, recordShape({ value: mapShape(textShape) }))
    for (const datum of [{ value: {} }, { value: null }, {}, { value: { claim: null } }, null])
      expect(matches(checked, datum)).toBe(expected)
  })

  it('treats a missing list in a map as empty', () => {
    const shape = recordShape({ list: mapShape(listShape(textShape)) })
    const resultOf = (expression: string) => matches(check(expression, shape), { list: {} })
    expect([
      resultOf('list.a is empty'),
      resultOf('list.a is not empty'),
      resultOf('x in list.a'),
      resultOf('x not in list.a'),
    ]).toEqual([true, false, false, true])
  })

  it('returns false for == and != on the elements of an empty or missing list', () => {
    for (const operator of ['==', '!='])
      for (const datum of [{ Nested: { SliceOfStructs: [] } }, { Nested: {} }, { Nested: { SliceOfStructs: null } }])
        expect(matches(check(`Nested.SliceOfStructs.X ${operator} 1`, NESTED), datum)).toBe(false)
  })

  it('treats a missing member of a record as its zero value, unless the whole record is missing', () => {
    expect(matches(check('Int == 0 and String == "" and Bool == false and Float32 == 0', FLAT), {})).toBe(true)
    expect(matches(check('Nested.MapOfStructs.one.Foo == 0', NESTED), { Nested: { MapOfStructs: { one: {} } } })).toBe(true)
    expect(matches(check('at.port == 0', recordShape({ at: recordShape({ port: intShape() }) })), {})).toBe(false)
  })

  it('compares integers beyond 2^53 exactly', () => {
    const big = recordShape({ n: uintShape(64) })
    expect(matches(check('n == 18446744073709551615', big), { n: 18446744073709551615n })).toBe(true)
    expect(matches(check('n == 9007199254740993', big), { n: 9007199254740992 })).toBe(false)
    expect(matches(check('n == 1', big), { n: 1.5 })).toBe(false)
  })

  it('returns false if the data has another type than the shape declares', () => {
    const odd = { Int: '1', Uint8: null, Float32: {}, Bool: 'true', String: 3 }
    for (const expression of [
      'Int == 1',
      'Uint8 == 0',
      'Float32 == 1',
      'Bool == true',
      'String == 3',
      '3 in String',
      'String matches 3',
    ])
      expect(matches(check(expression, FLAT), odd)).toBe(false)
    expect(
      matches(check('Nested.SliceOfInts contains 1 or Nested.Map contains length', NESTED), {
        Nested: { SliceOfInts: 'x', Map: [1] },
      }),
    ).toBe(false)
  })
})

describe('checking an expression refuses', () => {
  it.each([
    ['foo.bar.baz == 3', MAPS, '1:1 (0): Selector "foo.bar.baz" is not valid'],
    ['Bool == true and name == x', FLAT, '1:18 (17): Selector "name" is not valid'],
    ['toString == x', FLAT, '1:1 (0): Selector "toString" is not valid'],
    ['Nested.Nope.more == x', NESTED, '1:1 (0): Selector "Nested.Nope" is not valid'],
    ['Nested.Lists.a == x', NESTED, '1:1 (0): Selector "Nested.Lists.a" is not valid'],
    ['Nested.SliceOfInts.a == x', NESTED, '1:1 (0): Selector "Nested.SliceOfInts.a" is not valid'],
    ['Nested.ByNumber.a == x', NESTED, '1:1 (0): Selector "Nested.ByNumber.a" is not valid'],
    ['Map in Nested', NESTED, '1:1 (0): Invalid match operator "In" for selector "Nested"'],
    ['String is empty', FLAT, '1:1 (0): Invalid match operator "Is Empty" for selector "String"'],
    ['Int contains 1', FLAT, '1:1 (0): Invalid match operator "In" for selector "Int"'],
    ['Bool matches 1', FLAT, '1:1 (0): Invalid match operator "Matches" for selector "Bool"'],
    ['Nested.Map == x', NESTED, '1:1 (0): Invalid match operator "Equal" for selector "Nested.Map"'],
    ['Nested.SliceOfStructs contains 1', NESTED, '1:1 (0): Invalid match operator "In" for selector "Nested.SliceOfStructs"'],
    ['a in Nested.ByNumber', NESTED, '1:1 (0): Invalid match operator "In" for selector "Nested.ByNumber"'],
    ['Bool == yes', FLAT, '1:1 (0): Failed to coerce value "yes" for selector "Bool": invalid syntax'],
    ['Int == 3.0', FLAT, '1:1 (0): Failed to coerce value "3.0" for selector "Int": invalid syntax'],
    ['Uint8 == 256', FLAT, '1:1 (0): Failed to coerce value "256" for selector "Uint8": value out of range'],
    ['Uint8 != -1', FLAT, '1:1 (0): Failed to coerce value "-1" for selector "Uint8": invalid syntax'],
    ['Float32 == "1e39"', FLAT, '1:1 (0): Failed to coerce value "1e39" for selector "Float32": value out of range'],
    ['x in Nested.SliceOfInts', NESTED, '1:1 (0): Failed to coerce value "x" for selector "Nested.SliceOfInts": invalid syntax'],
    [
      'String matches "("',
      FLAT,
      '1:1 (0): Failed to compile regular expression "(": error parsing regexp: missing closing ): `(`',
    ],
  ])('%s', (expression, shape, message) => {
    expect(refusal(expression, shape)).toBe(message)
  })

  it.each(['(((a{100}){100}){100})', 'a{1001}', '(?:a{40}b){40}', '\\pL{150}', `[${'\\PL'.repeat(50)}]`, 'a'.repeat(1001)])(
    'the pattern %s, which is too large',
    (pattern) => {
      expect(refusal(`String matches \`${pattern}\``, FLAT)).toBe(
        '1:1 (0): the regular expressions are too large: fewer repetitions, classes or characters are needed',
      )
    },
  )

  it('100 patterns whose total size is too large', () => {
    const many = (count: number) => Array.from({ length: count }, () => 'String matches abcdefgh').join(' or ')
    expect(matches(check(many(50), FLAT), { String: 'abcdefgh' })).toBe(true)
    expect(refusal(many(100), FLAT)).toContain('the regular expressions are too large')
  })

  it.each(['(?=a)', '(?<!a)', '(a)\\1', '\\8', 'a{2}{3}', 'a**', '[b-a]', '\\pX'])(
    'the pattern %s, which is not RE2 syntax',
    (pattern) => {
      expect(refusal(`String matches \`${pattern}\``, FLAT)).toContain('Failed to compile regular expression')
    },
  )
})

describe('a value in a comparison', () => {
  const evaluate = (shape: Shape, value: string, datum: unknown): boolean | string => {
    try {
      return matches(check(`n == ${JSON.stringify(value)}`, recordShape({ n: shape })), { n: datum })
    } catch (error) {
      return (error as Error).message.split(': ').at(-1) as string
    }
  }

  it.each([
    ['0x3', 3],
    ['03', 3],
    ['0b11', 3],
    ['0o3', 3],
    ['+3', 3],
    ['-0x_ff', -255],
    ['1_000', 1000],
    ['0_7', 7],
    ['-9223372036854775808', -(2n ** 63n)],
  ])('is an integer: %s', (written, value) => {
    expect(evaluate(intShape(), written, value)).toBe(true)
  })

  it.each([
    ['9223372036854775808', 'value out of range'],
    ['', 'invalid syntax'],
    ['1_', 'invalid syntax'],
    ['_1', 'invalid syntax'],
    ['1__0', 'invalid syntax'],
    ['08', 'invalid syntax'],
    ['0x', 'invalid syntax'],
    ['--1', 'invalid syntax'],
    ['1e3', 'invalid syntax'],
    [' 1', 'invalid syntax'],
  ])('is not an integer: %j', (written, message) => {
    expect(evaluate(intShape(), written, 0)).toBe(message)
  })

  it.each([
    ['1', 1],
    ['1e3', 1000],
    ['.5', 0.5],
    ['5.', 5],
    ['-0x1.8p1', -3],
    ['0x_1p-2', 0.25],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-inf', Number.NEGATIVE_INFINITY],
  ])('is a float: %s', (written, value) => {
    expect(evaluate(floatShape(), written, value)).toBe(true)
  })

  it.each([
    ['1_0', 'invalid syntax'],
    ['0x1', 'invalid syntax'],
    ['.', 'invalid syntax'],
    ['1e', 'invalid syntax'],
    ['0x.p1', 'invalid syntax'],
    ['1e999', 'value out of range'],
    ['-infinit', 'invalid syntax'],
  ])('is not a float: %j', (written, message) => {
    expect(evaluate(floatShape(), written, 0)).toBe(message)
  })

  it('equals no number if it is NaN', () => {
    expect(evaluate(floatShape(), 'NaN', Number.NaN)).toBe(false)
  })

  it.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('is true: %s', (written) => {
    expect([evaluate(boolShape, written, true), evaluate(boolShape, written, false)]).toEqual([true, false])
  })

  it.each(['0', 'f', 'F', 'FALSE', 'false', 'False'])('is false: %s', (written) => {
    expect([evaluate(boolShape, written, true), evaluate(boolShape, written, false)]).toEqual([false, true])
  })

  it.each(['tRUE', 'yes', '', '2'])('is not a boolean: %j', (written) => {
    expect(evaluate(boolShape, written, true)).toBe('invalid syntax')
  })
})

describe('the explanation of an expression', () => {
  const identity = recordShape({ value: mapShape(textShape), list: mapShape(listShape(textShape)) })
  const why = (expression: string, datum: unknown, shape: Shape = identity) => explainMatch(check(expression, shape), datum)

  it.each([
    ['value.team == a', {}, false, 'value.team == "a" is false: value.team is missing'],
    ['value.team == a', { team: 'b' }, false, 'value.team == "a" is false: value.team is "b"'],
    ['not value.team == a', { team: 'b' }, true, 'value.team == "a" is false: value.team is "b"'],
    ['value.team matches "^a" or value.team == b', { team: 'b' }, true, 'value.team == "b" is true: value.team is "b"'],
    [
      'value.team == a or value.x == b',
      { team: 'b' },
      false,
      'value.team == "a" is false: value.team is "b"; value.x == "b" is false: value.x is missing',
    ],
    ['value.a == 1 and value.b == 2 and value.c == 3', { a: '1' }, false, 'value.b == "2" is false: value.b is missing'],
    ['x in value', { a: '1' }, false, '"x" in value is false: value has 1 key: "a"'],
    ['value is empty', {}, true, 'value is empty is true: value has no keys'],
  ])('names the comparisons that determine the result: %s with %j', (expression, value, said, reason) => {
    expect(why(expression, { value })).toEqual({ matches: said, reason })
  })

  it('contains the length of a list, and its elements if they are strings', () => {
    expect(why('x in list.groups', { list: { groups: ['a', 'b'] } }).reason).toBe(
      '"x" in list.groups is false: list.groups has 2 elements: "a", "b"',
    )
    expect(why('Nested.SliceOfStructs.X == 9', NESTED_DATUM, NESTED).reason).toBe(
      'Nested.SliceOfStructs.X == "9" is false: Nested.SliceOfStructs has 2 elements',
    )
  })

  it('omits most of its comparisons if the values are very long', () => {
    const long = 'x'.repeat(100_000)
    const datum = { value: { team: long, [long]: long }, list: { a: Array.from({ length: 1000 }, () => long) } }
    const expression = 'value.team == a or value is empty or b in list.a or list.a is empty'
    const { reason } = why(Array.from({ length: 20 }, () => expression).join(' or '), datum)
    expect(reason.length).toBeLessThan(20_000)
    expect(reason.endsWith('; 72 more')).toBe(true)
  })
})
