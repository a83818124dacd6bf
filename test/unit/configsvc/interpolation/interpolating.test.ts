/** Templates of names: their results, and the errors of invalid templates. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
import { describe, expect, it } from 'vitest'
import { checkNameTemplate, interpolateName } from '../../../../src/configsvc/interpolation/index.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'

const VARIABLES = {
  item: 'fake',
  n: '3',
  t: 'true',
  more: 'MoRe',
  'a-b': 'dash',
  'a.b': 'dot',
  empty: '',
  f: '1.5',
  'x.*.y': 'splat',
}

function outcome(text: string, variables: Readonly<Record<string, string>> = VARIABLES): string {
  try {
    return interpolateName(text, variables)
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect(error).toMatchObject({ status: 400 })
    return `! ${(error as Error).message}`
  }
}

describe('text in a template', () => {
  it.each([
    ['', ''],
    ['}', '}'],
    [' item }', ' item }'],
    ['$', '$'],
    ['$$', '$$'],
    ['$$x \\n "', '$$x \\n "'],
    ['A'.repeat(100_000), 'A'.repeat(100_000)],
    ['$${item}', '${item}'],
    ['$$x ${item}', '$x fake'],
    ['$x ${item} $', '$x fake $'],
    ['$$$${item}', '$${item}'],
    ['$$${item}', '$fake'],
    ['${item}}', 'fake}'],
    ['\\${item}', '\\fake'],
    ['UPPER ${more}\n"', 'UPPER more\n"'],
    ['before-${ item }after--more }', 'before-fakeafter--more }'],
    ['before-${item}after-${more}', 'before-fakeafter-more'],
    ['x${empty}y', 'xy'],
    ['${empty}', ''],
  ])('%j gives %j', (text, expected) => {
    expect(outcome(text)).toBe(expected)
  })

  it('is not searched for expressions if it is the value of a variable', () => {
    expect(outcome('${item}', { item: '${MORE}' })).toBe('${more}')
  })

  it('keeps its letter case, but the values of variables are converted to lower case', () => {
    expect(outcome('${v}', { v: 'ÄΣ\u0130K\u{10400}' })).toBe('äσik\u{10428}')
  })
})

describe('an expression in a template', () => {
  it.each([
    ['${ \t\r\nitem }', 'fake'],
    ['${a-b}${a.b}', 'dashdot'],
    ['${x.*.y}', 'splat'],
    ['${"a${item}b"}', 'afakeb'],
    ['${"a\\"\\\\\\n}$$${"${item}"}"}', 'a"\\\n}$fake'],
    ['${""}', ''],
    ['${n + 1}', '4'],
    ['${n - 1}', '2'],
    ['${1 + 2 * n}', '7'],
    ['${(1 + 2) * n}', '9'],
    ['${10 - 2 - 3}', '5'],
    ['${-7 / 2} ${-7 % 2}', '-3 -1'],
    ['${n / 2.0}', '1.5'],
    ['${f + 1.5}', '3'],
    ['${1e21 * 10}', '1e+22'],
    ['${1.0 / 0.0}', '+Inf'],
    ['${0.00001 * 1}', '1e-05'],
    ['${123456789.5 * 1}', '1.234567895e+08'],
    ['${123456.0 * 1} ${1000000.0 * 1}', '123456 1e+06'],
    ['${-1.25 / 100} ${2.0e-5 * 5}', '-0.0125 0.0001'],
    ['${9223372036854775807 + 1}', '-9223372036854775808'],
    ['${-n}', '-3'],
    ['${- -n}', '3'],
    ['${!t}', 'false'],
    ['${!!t}', 'true'],
    ['${t ? "a" : "b"}', 'a'],
    ['${false ? 1 : true ? 2 : 3}', '2'],
    ['${t ? "1" : 2}', '1'],
    ['${item == "fake" ? "y" : "n"}', 'y'],
    ['${item != "fake" ? "y" : "n"}', 'n'],
    ['${n < 10}', 'true'],
    ['${3 == n}', 'true'],
    ['${n == 3.0}', 'true'],
    ['${n >= 3 && n <= 3 || false}', 'true'],
    ['${true || false && false}', 'true'],
    ['${1 + 1 == 2 && 2 > 1}', 'true'],
    ['${true}', 'true'],
  ])('%j gives %j', (text, expected) => {
    expect(outcome(text)).toBe(expected)
  })
})

describe('filling in a template fails with', () => {
  it.each([
    ['${}', 'parse error at 1:3: expected expression but found "}"'],
    ['${', 'parse error at 1:3: expected expression but found end of string'],
    ['}${', 'parse error at 1:4: expected expression but found end of string'],
    ['${ item ', 'parse error at 1:9: expected "}" but found end of string'],
    ['a${item', 'parse error at 1:8: expected "}" but found end of string'],
    ['${item item}', 'parse error at 1:8: expected "}" but found "item"'],
    ['before-${ item after-${ more }', 'parse error at 1:16: expected "}" but found "after-"'],
    ['x\n\u{1f600}${ @ }', 'parse error at 2:5: expected expression but found "@"'],
    ['${(item}', 'parse error at 1:8: expected ")" but found "}"'],
    ['${item ? 1}', 'parse error at 1:11: expected ":" but found "}"'],
    ['${"a}', 'parse error at 1:6: expected "\\"" but found end of string'],
    ['${"\\q"}', 'parse error at 1:4: a backslash must be followed by a backslash, a quote or n'],
    ['${item & t}', 'parse error at 1:8: expected "}" but found "&"'],
    ['${item.*}', 'parse error at 1:9: expected expression but found "}"'],
    ['${9223372036854775808}', 'parse error at 1:3: the number is out of range'],
    ['${nope}', '1:3: unknown variable accessed: nope'],
    ['${t ? item : nope}', '1:14: unknown variable accessed: nope'],
    ['${toString}', '1:3: unknown variable accessed: toString'],
    ['${item.*.x}', '1:3: unknown variable accessed: item.*.x'],
    ['${lower(item)}', '1:3: unknown function called: lower'],
    ['${lower(nope, 1)}', '1:9: unknown variable accessed: nope'],
    ['${lower()}', '1:3: unknown function called: lower'],
    ['${__builtin_IntToString(3)}', '1:3: unknown function called: __builtin_IntToString'],
    ['${item[0]}', 'At column 7, line 1: invalid index operation into non-indexable type: TypeString'],
    ['${item + 1}', 'At column 3, line 1: a variable or text is not a valid int: invalid syntax'],
    ['${item ? 1 : 2}', 'At column 3, line 1: a variable or text is not a valid bool: invalid syntax'],
    ['${1 ? 1 : 2}', 'At column 3, line 1: condition must be type bool, not TypeInt'],
    ['${true + 1}', 'At column 3, line 1: operand 1 should be TypeInt, got TypeBool'],
    ['${1 == true}', 'At column 3, line 1: operand 2 should be TypeInt, got TypeBool'],
    ['${t ? true : 1}', 'At column 14, line 1: true and false expression types must match; have TypeBool and TypeInt'],
    ['${1 / 0}', 'At column 3, line 1: divide by zero'],
    ['${1.5 % 2}', 'At column 3, line 1: modulo cannot be used with floats'],
  ])('%j: %s', (text, message) => {
    expect(outcome(text)).toBe(`! ${message}`)
  })

  it('a template, variable or result that is too long, or nesting that is too deep', () => {
    expect(outcome('${item}'.padEnd(4097, 'x'))).toBe('! template: must have at most 4096 characters')
    expect(outcome(`\${${'('.repeat(31)}item${')'.repeat(31)}}`)).toBe('fake')
    expect(outcome(`\${${'('.repeat(32)}item${')'.repeat(32)}}`)).toContain('more than 32 levels of nesting')
    expect(outcome(`\${${'!'.repeat(4000)}t}`)).toContain('more than 32 levels of nesting')
    expect(outcome('${"'.repeat(1000))).toContain('more than 32 levels of nesting')
    expect(outcome('${v}', { v: 'x'.repeat(4097) })).toBe('! the value of the variable v must have at most 4096 characters')
    expect(outcome('${v}${v}', { v: 'x'.repeat(4000) })).toBe(
      '! At column 1, line 1: the text that a template produces must have at most 4096 characters',
    )
    expect(() => interpolateName(3 as never, {})).toThrow(TypeError)
  })
})

describe('validating a template before a login', () => {
  it.each([
    ['nothing', [], 'nothing'],
    ['${item}', ['item'], 'fake'],
    ['before-${item}after-${more}', ['item', 'more'], 'before-fakeafter-fake'],
    ['before-${ item }after--more }', ['item', 'more'], 'before-fakeafter--more }'],
  ] as const)('accepts %j', (text, names, result) => {
    expect(checkNameTemplate(text, names)).toBe(result)
  })

  it.each(['${', '}${', '${}', '${ item ', 'before-${ item after-${ more }', '${nope}', '${item + 1}'])('refuses %j', (text) => {
    expect(() => checkNameTemplate(text, ['item', 'more'])).toThrow(KernelError)
  })
})
