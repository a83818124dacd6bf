/** Parses expressions: their syntax trees, and the positions of syntax errors. */
import { describe, expect, it } from 'vitest'
import { parseExpression, printExpression } from '../../../../src/configsvc/expression/index.ts'
import type { ExpressionTerm } from '../../../../src/configsvc/expression/syntax.ts'
import { KernelError } from '../../../../src/core/base/errors.ts'

/** A tree as text: `operator(selector, value)`, with the names of a selector joined by bars. */
function treeOf(term: ExpressionTerm): string {
  if (term.kind === 'not') return `not(${treeOf(term.operand)})`
  if (term.kind !== 'comparison') return `${term.kind}(${term.terms.map(treeOf).join(', ')})`
  const value = term.value === undefined ? '' : `, ${term.value}`
  return `${term.operator}(${term.selector.join('|')}${value})`
}

const tree = (text: string): string => treeOf(parseExpression(text).root)

function refusal(text: string): string {
  try {
    parseExpression(text)
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    expect(error).toMatchObject({ status: 400 })
    return (error as Error).message
  }
  throw new Error(`was taken: ${text}`)
}

describe('the syntax tree of a parsed expression', () => {
  it.each([
    ['foo == 3', 'Equal(foo, 3)'],
    ['foo not in bar', 'Not In(bar, foo)'],
    ['bar not contains foo', 'Not In(bar, foo)'],
    ['bar contains foo', 'In(bar, foo)'],
    ['x in foo and not str == something or list is empty', 'or(and(In(foo, x), not(Equal(str, something))), Is Empty(list))'],
    ['x in foo and not (str == something or list is empty)', 'and(In(foo, x), not(or(Equal(str, something), Is Empty(list))))'],
    ['`environment` in foo.bar["meta"].tags[\t`ENV` ]', 'In(foo|bar|meta|tags|ENV, environment)'],
    ['environment in foo["abc-def ghi åß∂ƒ"]', 'In(foo|abc-def ghi åß∂ƒ, environment)'],
    ['foo == a.b["c d"]', 'Equal(foo, a.b.c d)'],
    ['foo is not empty', 'Is Not Empty(foo)'],
    ['foo matches bar', 'Matches(foo, bar)'],
    ['foo not matches "b r"', 'Not Matches(foo, b r)'],
    ['foo==bar', 'Equal(foo, bar)'],
    ['foo!="bar"', 'Not Equal(foo, bar)'],
    ['foo == -1.50', 'Equal(foo, -1.50)'],
    ['-0 in foo', 'In(foo, -0)'],
    ['"a b" not in foo', 'Not In(foo, a b)'],
    ['a == b and c == d and e == f', 'and(Equal(a, b), Equal(c, d), Equal(e, f))'],
    ['(a == b and c == d) and e == f', 'and(and(Equal(a, b), Equal(c, d)), Equal(e, f))'],
    ['( Name == web )', 'Equal(Name, web)'],
    ['((Name == web))', 'Equal(Name, web)'],
    ['(a == b) or c == d', 'or(Equal(a, b), Equal(c, d))'],
    ['\t\r\n ( \t\r\n value.bar \t\r\n == \t\r\n foo \t\r\n ) \t\r\n', 'Equal(value|bar, foo)'],
    ['x not \n in \t foo', 'Not In(foo, x)'],
    ['a is \n not \t empty', 'Is Not Empty(a)'],
    ['not not x == y', 'Equal(x, y)'],
    ['not not not x == y', 'not(Equal(x, y))'],
    ['not (not x == y)', 'Equal(x, y)'],
  ])('has the expected operators and operands: %j', (text, expected) => {
    expect(tree(text)).toBe(expected)
  })

  it.each([
    ['not == x', 'Equal(not, x)'],
    ['not in bar', 'In(bar, not)'],
    ['not is empty', 'Is Empty(not)'],
    ['not matches x', 'Matches(not, x)'],
    ['not not in bar', 'not(In(bar, not))'],
    ['not in in bar', 'not(In(bar, in))'],
    ['not contains == x', 'not(Equal(contains, x))'],
    ['not not contains x', 'not(In(not, x))'],
    ['not.x == y', 'Equal(not|x, y)'],
    ['and == or and or == and', 'and(Equal(and, or), Equal(or, and))'],
    ['in in in', 'In(in, in)'],
    ['is is empty', 'Is Empty(is)'],
  ])('contains a reserved word as a name: %j', (text, expected) => {
    expect(tree(text)).toBe(expected)
  })

  it.each([
    ['"\\n\\t\\\\\\x41\\u00e9\\U0001f600\\101\\a"', '\n\t\\A\u00e9\u{1f600}A\x07'],
    ['"\\xc3\\xa9"', '\u00e9'],
    ['"it\'s"', "it's"],
    ['`\\n"\r\n`', '\\n"\n'],
    ['""', ''],
    ['true', 'true'],
    ['1.5', '1.5'],
  ])('contains the value of the literal %s', (written, value) => {
    expect(parseExpression(`a == ${written}`).root).toMatchObject({ value })
  })
})

describe('parsing refuses', () => {
  it.each([
    ['foo == "12x', '1:8 (7): rule "string": Unterminated string literal'],
    ['foo == `12x', '1:8 (7): rule "string": Unterminated string literal'],
    ['foo == 3x', '1:8 (7): rule "number": Invalid number literal'],
    ['Max == 0x3', '1:8 (7): rule "number": Invalid number literal'],
    ['Max == 03', '1:8 (7): rule "number": Invalid number literal'],
    ['Max == 1e3', '1:8 (7): rule "number": Invalid number literal'],
    ['Max == 1.', '1:8 (7): rule "number": Invalid number literal'],
    ['foo[3] == abc', '1:5 (4): rule "index": Invalid index'],
    ['Meta[env]', '1:6 (5): rule "index": Invalid index'],
    ['foo["abc" == 3', '1:4 (3): rule "index": Unclosed index expression'],
    ['x in 32', '1:6 (5): rule "match": Invalid selector'],
    ['(foo == 3', '1:10 (9): rule "grouping": Unmatched parentheses'],
    ['foo == "\\q"', '1:8 (7): rule "string": invalid syntax'],
    ['foo == "a\nb"', '1:8 (7): rule "string": invalid syntax'],
    ['foo == "\\"', '1:8 (7): rule "string": invalid syntax'],
    ['foo == "\\xff"', '1:8 (7): rule "string": invalid syntax'],
    ['foo == "\\ud800"', '1:8 (7): rule "string": invalid syntax'],
    ['foo == "\\400"', '1:8 (7): rule "string": invalid syntax'],
  ])('%j', (text, message) => {
    expect(refusal(text)).toBe(message)
  })

  it.each([
    ['32 == 32', '1:3 (2)'],
    ['32 is empty', '1:3 (2)'],
    ['x in foo abc', '1:10 (9)'],
    ['x in foo and ', '1:14 (13)'],
    ['x in foo or ', '1:13 (12)'],
    ['x in foo or', '1:10 (9)'],
    ['foo', '1:4 (3)'],
    ['not(Name == web)', '1:4 (3)'],
    ['NOT Name == web', '1:5 (4)'],
    ['Name == web AND x == y', '1:13 (12)'],
    ["Name == 'web'", '1:9 (8)'],
    ['Name == web-1', '1:12 (11)'],
    ['Name == web)', '1:12 (11)'],
    ['(a == b)and c == d', '1:9 (8)'],
    ['a == "b"and c == d', '1:9 (8)'],
    ['a == b and(c == d)', '1:8 (7)'],
    ['a. == b', '1:3 (2)'],
    ['_a == b', '1:1 (0)'],
    ['a.0 == b', '1:3 (2)'],
    ['a == -', '1:6 (5)'],
    ['a = b', '1:3 (2)'],
    ['a contains', '1:3 (2)'],
    ['a in(b)', '1:3 (2)'],
    ['a is emptyb', '1:11 (10)'],
    ['()', '1:2 (1)'],
    ['', '1:1 (0)'],
    [' \t\n', '2:1 (3)'],
    ['a == "\u00e9\u{1f600}" b', '1:11 (14)'],
    ['a == b and\n  c ~ d', '2:5 (15)'],
    ['any a as x { x == y }', '1:5 (4)'],
    ['"/a/b" == c', '1:7 (6)'],
    ['a is nil', '1:3 (2)'],
  ])('%j', (text, place) => {
    expect(refusal(text).startsWith(`${place}: no match found, expected: `)).toBe(true)
  })

  it('an expression of more than 16,384 characters or 64 levels of nesting', () => {
    expect(refusal(`a == "${'x'.repeat(16_384)}"`)).toBe('expression: must have at most 16384 characters')
    expect(tree(`${'('.repeat(64)}a == b${')'.repeat(64)}`)).toBe('Equal(a, b)')
    expect(refusal(`${'('.repeat(65)}a == b${')'.repeat(65)}`)).toBe('1:66 (65): more than 64 levels of nesting')
    expect(refusal(`${'not '.repeat(4000)}a == b`)).toContain('more than 64 levels of nesting')
    expect(() => parseExpression(3 as never)).toThrow(TypeError)
  })
})

describe('the canonical form of an expression', () => {
  it.each([
    ['foo==3', 'foo == "3"'],
    ['bar not contains `a"b\\`', '"a\\x22b\\\\" not in bar'],
    ['a["b"]["c d"][`\n`] is empty', 'a.b["c d"]["\\x0a"] is empty'],
    ['((a == b)) and (c == d or not (e is not empty))', 'a == "b" and (c == "d" or not e is not empty)'],
    ['(a == b and c == d) or (e == f or g == h)', 'a == "b" and c == "d" or (e == "f" or g == "h")'],
    ['not (a matches b and c not matches d)', 'not (a matches "b" and c not matches "d")'],
  ])('is printed as expected and parsed to the same syntax tree: %j', (text, printed) => {
    expect(printExpression(parseExpression(text))).toBe(printed)
    expect(tree(printed)).toBe(tree(text))
  })
})
