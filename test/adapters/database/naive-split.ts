/**
 * Naive reference for the statement splitters: applies one rule at each position, without regard to speed.
 */

interface Rule {
  /** Matches the beginning of the construct in code. */
  readonly opens: RegExp
  /** The length of the whole construct from its beginning. */
  readonly whole: (rest: string) => number
  readonly comment?: boolean
}

const length = (expression: RegExp, rest: string): number => expression.exec(rest)?.[0].length ?? rest.length

function nested(rest: string): number {
  let depth = 0
  for (let i = 0; i < rest.length; i++) {
    const two = rest.slice(i, i + 2)
    if (two === '/*') depth++
    if (two === '*/') depth--
    if (two === '/*' || two === '*/') i++
    if (depth === 0) return i + 1
  }
  return rest.length
}

function split(text: string, rules: readonly Rule[]): readonly string[] {
  const queries: string[] = []
  let query = ''
  let code = false
  const finish = (): void => {
    if (code) queries.push(query.trim())
    query = ''
    code = false
  }
  for (let rest = text; rest !== ''; ) {
    const rule = rules.find(({ opens }) => opens.test(rest))
    if (!rule && rest.startsWith(';')) {
      finish()
      rest = rest.slice(1)
      continue
    }
    const length = rule ? rule.whole(rest) : 1
    query += rest.slice(0, length)
    code ||= !rule?.comment && rest.slice(0, length).trim() !== ''
    rest = rest.slice(length)
  }
  finish()
  return queries
}

/** An escape string continues at the next quote if only blanks with a line break, and line comments, are in between. */
const ESCAPE_STRING = /^[eE]'(?:[^'\\]|\\[\s\S]|''|'[ \t]*\n(?:[ \t\n]|--[^\n]*\n)*')*(?:'|\\?$)/

const dollar = (rest: string): number => {
  const tag = /^\$(?:[A-Za-z_é][\wé]*)?\$/.exec(rest)![0]
  const end = rest.indexOf(tag, tag.length)
  return end < 0 ? rest.length : end + tag.length
}

export const naivePostgresqlSplit = (text: string): readonly string[] =>
  split(text, [
    { opens: /^[eE]'/, whole: (rest) => length(ESCAPE_STRING, rest) },
    { opens: /^[uU]&'/, whole: (rest) => length(/^..'(?:[^']|'')*'(?!')/, rest) },
    { opens: /^[uU]&"/, whole: (rest) => length(/^.."(?:[^"]|"")*"(?!")/, rest) },
    { opens: /^[A-Za-z_é]/, whole: (rest) => length(/^[A-Za-z_é][\w$é]*/, rest) },
    { opens: /^'/, whole: (rest) => length(/^'(?:[^']|'')*'(?!')/, rest) },
    { opens: /^"/, whole: (rest) => length(/^"(?:[^"]|"")*"(?!")/, rest) },
    { opens: /^\$(?:[A-Za-z_é][\wé]*)?\$/, whole: dollar },
    { opens: /^--/, whole: (rest) => length(/^--[^\n]*/, rest), comment: true },
    { opens: /^\/\*/, whole: nested, comment: true },
  ])

/** An executable comment is code whose semicolons do not end the statement. It is consumed as a whole, including quotes. */
function carriedOut(rest: string): number {
  let at = length(/^\/\*M?!\d{0,6}/, rest)
  while (at < rest.length && !rest.startsWith('*/', at)) {
    // A nested start of an executable comment has no effect.
    const rule = MYSQL.find(({ opens, whole }) => whole !== carriedOut && opens.test(rest.slice(at)))
    at += rule ? rule.whole(rest.slice(at)) : 1
  }
  return Math.min(rest.length, at + 2)
}

const MYSQL: readonly Rule[] = [
  { opens: /^'/, whole: (rest) => length(/^'(?:[^'\\]|''|\\[\s\S])*'(?!')/, rest) },
  { opens: /^"/, whole: (rest) => length(/^"(?:[^"\\]|""|\\[\s\S])*"(?!")/, rest) },
  { opens: /^`/, whole: (rest) => length(/^`(?:[^`]|``)*`(?!`)/, rest) },
  { opens: /^#|^--(?:\s|$)/, whole: (rest) => length(/^[^\n]*/, rest), comment: true },
  { opens: /^\/\*M?!/, whole: carriedOut },
  { opens: /^\/\*(?!M?!)/, whole: (rest) => length(/^\/\*[\s\S]*?\*\//, rest), comment: true },
]

export const naiveMysqlSplit = (text: string): readonly string[] => split(text, MYSQL)
