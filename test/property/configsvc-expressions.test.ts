/**
 * Expressions and templates of the configuration service: printing and parsing are inverse, the evaluator equals a naive one, and any text
 * is parsed or refused.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are templates
import { RE2JS, RE2JSException } from 're2js'
import { describe, expect, it } from 'vitest'
import { checkExpression, explainMatch, matches, parseExpression, printExpression } from '../../src/configsvc/expression/index.ts'
import { patternWeight } from '../../src/configsvc/expression/pattern.ts'
import type { Comparison, ExpressionTerm, Operator } from '../../src/configsvc/expression/syntax.ts'
import { anyCharacter } from '../fixtures/any-character.ts'
import fc from '../fixtures/fast-check.ts'
import { runs } from '../fixtures/runs.ts'
import {
  filled,
  isEvaluated,
  LONG_EXPRESSIONS,
  LONG_TEMPLATES,
  longestOf,
  MAX_EXPRESSION_LENGTH,
  MAX_TEMPLATE_LENGTH,
  SHAPE,
} from '../unit/configsvc/expression/evaluated.ts'

const RUNS = runs({ quick: 1000, soak: 200_000 })

const VALUED = ['Equal', 'Not Equal', 'In', 'Not In', 'Matches', 'Not Matches'] as const

/** The tree without source positions. */
function bare(term: ExpressionTerm): unknown {
  if (term.kind === 'not') return ['not', bare(term.operand)]
  return term.kind === 'comparison' ? [term.selector, term.operator, term.value] : [term.kind, term.terms.map(bare)]
}

/** Trees as the parser creates them: no double negation, and at least two terms in a chain. */
const treesOf = (comparison: fc.Arbitrary<ExpressionTerm>): fc.Arbitrary<ExpressionTerm> =>
  fc.letrec<{ term: ExpressionTerm }>((tie) => ({
    term: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      comparison,
      tie('term').map((operand): ExpressionTerm => (operand.kind === 'not' ? operand.operand : { kind: 'not', operand })),
      fc
        .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('term'), { minLength: 2, maxLength: 4 }))
        .map(([kind, terms]): ExpressionTerm => ({ kind, terms })),
    ),
  })).term

describe('printing and then parsing an expression', () => {
  const name = fc.oneof(fc.constantFrom('a', 'B_1', 'not', 'in', 'is', 'and', 'or', 'contains', 'matches', 'empty'))
  const key = fc.oneof(name, fc.string({ unit: anyCharacter, maxLength: 6 }))
  const selector = fc.tuple(name, fc.array(key, { maxLength: 3 })).map(([first, rest]) => [first, ...rest])
  const comparison = fc
    .oneof(
      fc.record({
        selector,
        operator: fc.constantFrom<Operator>(...VALUED),
        value: fc.string({ unit: anyCharacter, maxLength: 8 }),
      }),
      fc.record({ selector, operator: fc.constantFrom<Operator>('Is Empty', 'Is Not Empty'), value: fc.constant(undefined) }),
    )
    .map((parts): ExpressionTerm => ({ kind: 'comparison', ...parts, at: 0 }))
    // A selector `not` with the operator `Not Matches` cannot be written: `not not matches` parses as the negation of `not matches`.
    .filter((term) => {
      const { selector: names, operator } = term as Comparison
      return !(names.length === 1 && names[0] === 'not' && operator === 'Not Matches')
    })

  it('yields the same expression', () => {
    fc.assert(
      fc.property(treesOf(comparison), (root) => {
        const printed = printExpression({ text: '', root })
        const parsed = parseExpression(printed)
        expect(bare(parsed.root)).toEqual(bare(root))
        expect(printExpression(parsed)).toBe(printed)
      }),
      { numRuns: RUNS },
    )
  })
})

type Data = Readonly<Record<string, unknown>>

/** A naive evaluator: it collects all values at the end of a selector and combines one result for each. */
function naive(term: ExpressionTerm, data: Data): boolean {
  if (term.kind === 'not') return !naive(term.operand, data)
  if (term.kind !== 'comparison') {
    const { length } = term.terms.filter((inner) => naive(inner, data))
    return term.kind === 'and' ? length === term.terms.length : length > 0
  }
  const { selector, operator, value = '' } = term
  const negative = ['Not Equal', 'Not In', 'Not Matches', 'Is Empty'].includes(operator)
  let ends: unknown[] = [data]
  for (const step of selector)
    ends = ends
      .flatMap((end) => (Array.isArray(end) ? end : [end]))
      .map((end) =>
        typeof end === 'object' && end !== null && Object.keys(end).includes(step) ? (end as Data)[step] : undefined,
      )
  const answers = ends.map((end) => {
    if (end === undefined) return negative
    const kind = operator.replace('Not ', '')
    if (kind === 'Equal') return (String(end) === value) !== negative
    if (kind === 'Matches') return new RegExp(value).test(String(end)) !== negative
    const parts = typeof end === 'string' ? [] : Array.isArray(end) ? end : Object.keys(end as object)
    if (kind === 'Is Empty') return (parts.length === 0) === negative
    return (
      (typeof end === 'string'
        ? [...end, ''].some((_character, index) => end.startsWith(value, index))
        : parts.includes(value)) !== negative
    )
  })
  return answers.includes(true)
}

describe('evaluating and explaining random expressions', () => {
  const word = fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'abb')
  const claims = fc.dictionary(fc.constantFrom('a', 'b', 'c'), word, { maxKeys: 3 })
  const data = fc.record({
    value: claims,
    list: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.array(word, { maxLength: 3 }), { maxKeys: 3 }),
    items: fc.array(fc.record({ a: word, m: claims }), { maxLength: 3 }),
    on: fc.boolean(),
    n: fc.integer({ min: -1, max: 1 }),
  })
  const key = fc.constantFrom('a', 'b', 'c', 'd')
  const ofText = fc.tuple(
    fc.oneof(
      key.map((name) => ['value', name]),
      fc.constant(['items', 'a']),
      key.map((name) => ['items', 'm', name]),
    ),
    fc.oneof(
      fc.tuple(fc.constantFrom<Operator>('Equal', 'Not Equal', 'In', 'Not In'), word),
      fc.tuple(
        fc.constantFrom<Operator>('Matches', 'Not Matches'),
        fc.constantFrom('^a', 'b$', 'a|bb', '^[ab]{2}$', '(ab)+', 'a.*b', '^$', ''),
      ),
    ),
  )
  const ofMany = fc.tuple(
    fc.oneof(
      fc.constantFrom(['value'], ['list'], ['items', 'm']),
      key.map((name) => ['list', name]),
    ),
    fc.oneof(
      fc.tuple(fc.constantFrom<Operator>('In', 'Not In'), word),
      fc.tuple(fc.constantFrom<Operator>('Is Empty', 'Is Not Empty'), fc.constant(undefined)),
    ),
  )
  const ofRest = fc.oneof(
    fc.tuple(fc.constant(['on']), fc.tuple(fc.constantFrom<Operator>('Equal', 'Not Equal'), fc.constantFrom('true', 'false'))),
    fc.tuple(fc.constant(['n']), fc.tuple(fc.constantFrom<Operator>('Equal', 'Not Equal'), fc.constantFrom('-1', '0', '1'))),
  )
  const comparison = fc
    .oneof(ofText, ofMany, ofRest)
    .map(([selector, [operator, value]]): ExpressionTerm => ({ kind: 'comparison', selector, operator, value, at: 0 }))

  it('has the same result as a naive evaluator', () => {
    fc.assert(
      fc.property(treesOf(comparison), data, (root, datum) => {
        const checked = checkExpression({ text: '', root }, SHAPE)
        expect(matches(checked, datum)).toBe(naive(root, datum))
        expect(explainMatch(checked, datum).matches).toBe(naive(root, datum))
      }),
      { numRuns: RUNS },
    )
  })
})

const PIECES = [
  ...['value', 'list', 'items', 'on', 'n', '.', '.a', '.b', '["a"]', '[', ']', '(', ')', ' ', '\n', '\t', '==', '!=', '=', '!'],
  ...[' and ', ' or ', 'not ', ' in ', ' not in ', ' contains ', ' matches ', ' is empty', ' is not empty', ' not '],
  ...[
    '3',
    '-1',
    '1.5',
    '0x1',
    'true',
    '"',
    '`',
    '"x"',
    '`x`',
    '"\\n"',
    '\\',
    '"("',
    '"^ex"',
    '\u00e9',
    '\ud800',
    '\u{1f600}',
    '\0',
  ],
  ...['value.a == x', 'x in list.a', 'on == true', 'n != 3', 'items.a matches x', 'value is empty'],
]

const TEMPLATE_PIECES = [
  ...[
    '${',
    '}',
    '$',
    '$$',
    '"',
    '\\',
    '\\n',
    '\\"',
    '(',
    ')',
    '[',
    ']',
    ',',
    '?',
    ':',
    ' ',
    '\n',
    'x',
    '\u00e9',
    '\ud800',
    '\u{1f600}',
  ],
  ...['item', 'n', 't', 'value.a', 'nope', 'true', 'false', '0', '7', '1.5', '1e9', '.', '.*.', '-', '_', '*', '__builtin_x('],
  ...['+', '-', '*', '/', '%', '!', '&&', '||', '==', '!=', '<', '<=', '>', '>=', '${item}', '${n + 1}', '"a${t}"'],
]

const PATTERN_PIECES = [
  ...[
    'a',
    'b',
    '.',
    '^',
    '$',
    '|',
    '(',
    ')',
    '(?:',
    '(?i)',
    '(?P<x>',
    '(?s:',
    '(?U)',
    '*',
    '+',
    '?',
    '*?',
    '{2}',
    '{3,}',
    '{1,4}',
    '{',
  ],
  ...['[', ']', '[a-f]', '[^a]', '[]a]', '[[:alpha:]]', '\\pL', '\\p{Greek}', '\\PN', '\\d', '\\W', '\\b', '\\B', '\\A', '\\z'],
  ...['\\x41', '\\x{10FFFF}', '\\Q', '\\E', '\\1', '(?=a)', '(?<!a)', '\\', '-', ':', '\u00e9', '\u{1f600}', '\ud800', '\n'],
]

describe('parsing arbitrary text', () => {
  const madeOf = (pieces: readonly string[], glue: readonly string[]) =>
    fc
      .tuple(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), fc.constantFrom(...glue))
      .map(([list, between]) => list.join(between))
  const anything = fc.string({ unit: anyCharacter, maxLength: 200 })

  it('as an expression succeeds or fails with a 400 error', () => {
    fc.assert(
      fc.property(fc.oneof(madeOf(PIECES, ['', ' ']), anything), (expression) => void isEvaluated(expression)),
      { numRuns: RUNS },
    )
  })

  it('that differs a little from a valid expression succeeds or fails with a 400 error', () => {
    const good = [
      'value.a == "x" and not (x in list["a"] or items.m.b contains ab) or n != -3',
      'value["a"] matches `^ex` or list.a is not empty and not not on == true',
    ]
    let kept = 0
    const change = fc.tuple(fc.constantFrom(...good), fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...PIECES, ''))
    fc.assert(
      fc.property(change, ([expression, seed, cut, piece]) => {
        const at = seed % (expression.length + 1)
        if (isEvaluated(expression.slice(0, at) + piece + expression.slice(at + cut))) kept++
      }),
      { numRuns: RUNS },
    )
    expect(kept).toBeGreaterThan(RUNS / 100)
  })

  it('as a regular expression succeeds or fails with a 400 error', () => {
    let kept = 0
    fc.assert(
      fc.property(madeOf(PATTERN_PIECES, ['']), (pattern) => {
        if (!pattern.includes('`') && isEvaluated(`value.a matches \`${pattern}\` or items.a not matches \`${pattern}\``)) kept++
      }),
      { numRuns: RUNS },
    )
    expect(kept).toBeGreaterThan(RUNS / 20)
  })

  it('as a regular expression yields at most as many instructions as patternWeight returns', () => {
    let kept = 0
    fc.assert(
      fc.property(madeOf(PATTERN_PIECES, ['']), (pattern) => {
        const weight = patternWeight(pattern)
        if (weight > 2000) return
        try {
          expect(RE2JS.compile(pattern).programSize()).toBeLessThanOrEqual(weight)
          kept++
        } catch (error) {
          if (!(error instanceof RE2JSException)) throw error
        }
      }),
      { numRuns: RUNS },
    )
    expect(kept).toBeGreaterThan(RUNS / 20)
  })

  it('as a template succeeds or fails with a 400 error', () => {
    let kept = 0
    fc.assert(
      fc.property(fc.oneof(madeOf(TEMPLATE_PIECES, ['', ' ']), anything), (template) => {
        if (filled(template) || filled(`\${${template}}`)) kept++
      }),
      { numRuns: RUNS },
    )
    expect(kept).toBeGreaterThan(RUNS / 20)
  })
})

describe('parsing a text of the maximum length', () => {
  it.each(LONG_EXPRESSIONS)('as an expression succeeds or fails with a 400 error: %s', (_what, textOf) => {
    isEvaluated(longestOf(textOf, MAX_EXPRESSION_LENGTH).text)
  })

  it.each(LONG_TEMPLATES)('as a template succeeds or fails with a 400 error: %s', (_what, textOf) => {
    filled(longestOf(textOf, MAX_TEMPLATE_LENGTH).text)
  })
})
