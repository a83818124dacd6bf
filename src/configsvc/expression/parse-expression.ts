/**
 * Parses expressions in the grammar of Consul's go-bexpr. After a word, the next token always determines the rule, so parsing takes linear
 * time.
 */
import { invalid } from '../../core/base/errors.ts'
import { textPosition } from './position.ts'
import { ExpressionReader, Mismatch } from './reader.ts'
import {
  type Comparison,
  type ExpressionTerm,
  type FilterExpression,
  MAX_EXPRESSION_CHARACTERS,
  type Operator,
} from './syntax.ts'

const WORD_OPERATOR = /(?:(not)[ \t\r\n]+)?(contains|matches|in)[ \t\r\n]+|is[ \t\r\n]+(?:(not)[ \t\r\n]+)?empty/y

/** Matches an operator after the word `not`, which is then no negation but the name of a selector, or a value. */
const OPERATOR_AHEAD = /[=!]=|(?:(?:not[ \t\r\n]+)?(?:contains|matches|in)|is)[ \t\r\n]/y

const OPERATORS = 'an operator, with a space before and after it if it is a word'

/**
 * Parses an expression without validating it against the data, which `checkExpression` does.
 * @throws KernelError 400 with the position, `line:column (offset)`
 */
export function parseExpression(text: string): FilterExpression {
  if (typeof text !== 'string') throw new TypeError('expression: must be a string')
  if (text.length > MAX_EXPRESSION_CHARACTERS)
    throw invalid(`expression: must have at most ${MAX_EXPRESSION_CHARACTERS} characters`)
  try {
    return { text, root: readAll(new ExpressionReader(text)) }
  } catch (error) {
    throw error instanceof Mismatch ? invalid(`${textPosition(text, error.at)}: ${error.reason}`) : error
  }
}

function readAll(reader: ExpressionReader): ExpressionTerm {
  reader.space()
  const root = readOr(reader)
  reader.space()
  if (!reader.done) throw reader.mismatch('"and", "or" or the end, with a space before the word')
  return root
}

const readOr = (reader: ExpressionReader): ExpressionTerm => readChain(reader, 'or', readAnd)

const readAnd = (reader: ExpressionReader): ExpressionTerm => readChain(reader, 'and', readNot)

const JOINTS = { and: /[ \t\r\n]+and[ \t\r\n]+/y, or: /[ \t\r\n]+or[ \t\r\n]+/y }

function readChain(
  reader: ExpressionReader,
  kind: 'and' | 'or',
  readTerm: (reader: ExpressionReader) => ExpressionTerm,
): ExpressionTerm {
  const first = readTerm(reader)
  const terms = [first]
  while (reader.match(JOINTS[kind])) terms.push(readTerm(reader))
  return terms.length === 1 ? first : { kind, terms }
}

function readNot(reader: ExpressionReader): ExpressionTerm {
  const start = reader.at
  if (!reader.take('not') || !reader.space()) {
    reader.at = start
    return readGroup(reader)
  }
  const after = reader.at
  const ambiguous = reader.match(OPERATOR_AHEAD) !== undefined
  reader.at = after
  try {
    const operand = reader.nested(() => readNot(reader))
    return operand.kind === 'not' ? operand.operand : { kind: 'not', operand }
  } catch (error) {
    if (!ambiguous) throw error
    reader.at = start
    return readComparison(reader)
  }
}

function readGroup(reader: ExpressionReader): ExpressionTerm {
  if (!reader.take('(')) return readComparison(reader)
  reader.space()
  const term = reader.nested(() => readOr(reader))
  reader.space()
  if (!reader.take(')')) throw reader.ruleMismatch('grouping', 'Unmatched parentheses')
  return term
}

function readComparison(reader: ExpressionReader): Comparison {
  const at = reader.at
  const selector = reader.selector()
  if (!selector) return readMembership(reader, at)
  const operator = readOperator(reader)
  if (operator === 'Is Empty' || operator === 'Is Not Empty')
    return { kind: 'comparison', selector, operator, value: undefined, at }
  if (typeof operator === 'string') return { kind: 'comparison', selector, operator, value: readValue(reader), at }
  return { kind: 'comparison', selector: readContainer(reader), operator: operator.in, value: selector.join('.'), at }
}

/** `"value" in selector`, for a value that is a number or a quoted string. */
function readMembership(reader: ExpressionReader, at: number): Comparison {
  const value = reader.number() ?? reader.string()
  if (value === undefined) throw reader.mismatch('"(", "not", a selector or a value')
  const after = reader.at
  const operator = readOperator(reader)
  if (typeof operator === 'string') throw reader.mismatch('"in" or "not in" after a value', after)
  return { kind: 'comparison', selector: readContainer(reader), operator: operator.in, value, at }
}

function readContainer(reader: ExpressionReader): readonly string[] {
  const selector = reader.selector()
  if (!selector) throw reader.ruleMismatch('match', 'Invalid selector')
  return selector
}

/** Returns an object for `in`, because only with `in` the value precedes the selector. */
function readOperator(reader: ExpressionReader): Operator | { readonly in: 'In' | 'Not In' } {
  const spaced = reader.space()
  if (reader.take('==')) return spacedOut(reader, 'Equal')
  if (reader.take('!=')) return spacedOut(reader, 'Not Equal')
  const words = spaced ? reader.match(WORD_OPERATOR) : undefined
  if (!words) throw reader.mismatch(OPERATORS)
  const [, not, word, notEmpty] = words
  if (word === 'matches') return not ? 'Not Matches' : 'Matches'
  if (word === 'contains') return not ? 'Not In' : 'In'
  if (word === 'in') return { in: not ? 'Not In' : 'In' }
  return notEmpty ? 'Is Not Empty' : 'Is Empty'
}

function spacedOut(reader: ExpressionReader, operator: Operator): Operator {
  reader.space()
  return operator
}

/** A value may be a word without quotes. It may look like a selector; its names are then joined by dots. */
function readValue(reader: ExpressionReader): string {
  const value = reader.selector()?.join('.') ?? reader.number() ?? reader.string()
  if (value === undefined) throw reader.mismatch('a value: a word, a number or a string in quotes')
  return value
}
