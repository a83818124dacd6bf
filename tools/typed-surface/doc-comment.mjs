// The doc comments of generated code.

const WIDTH = 130

/**
 * A doc comment with its lines wrapped.
 * @param {readonly string[]} paragraphs separated by empty lines; a paragraph that begins with `@` is a tag and follows without one
 * @param {string} indent
 */
export function docComment(paragraphs, indent = '') {
  const lines = paragraphs.flatMap((text, index) => {
    const before = index > 0 && !text.startsWith('@') ? [''] : []
    return [...before, ...text.split('\n').flatMap((line) => wrapped(line, WIDTH - indent.length - 3))]
  })
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'))
  if (safe.length === 1 && safe[0].length <= WIDTH - indent.length - 7) return `${indent}/** ${safe[0]} */\n`
  return `${indent}/**\n${safe.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`
}

/** Wraps a line. Indented lines are code and stay as they are. */
function wrapped(line, width) {
  if (line.length <= width || line.startsWith('  ')) return [line]
  const out = []
  let rest = line
  while (rest.length > width) {
    const at = rest.lastIndexOf(' ', width)
    if (at <= 0) break
    out.push(rest.slice(0, at))
    rest = rest.slice(at + 1)
  }
  return [...out, rest]
}

/** A description that states the default itself, because the default depends on more than the request. */
const STATED_DEFAULT = /\bDefault: /

/** The doc comment of a parameter or a result. */
function fieldComment(field, { text, isArgument }) {
  const { description, schema, fallback, deprecated } = field
  const seconds = isArgument && schema.format === 'seconds' && /string|DurationInput/.test(text)
  return [
    seconds ? `${description} A number of seconds, or text such as \`1h30m\`.` : description,
    ...(isArgument && isShown(fallback) && !STATED_DEFAULT.test(description) ? [`@defaultValue \`${literal(fallback)}\``] : []),
    ...(deprecated ? ['@deprecated Still accepted for compatibility.'] : []),
  ]
}

/** A member of an interface, with its comment. */
export function memberLines(field, { name, text, isOptional, isArgument }) {
  const also = isArgument && isOptional ? ' | undefined' : ''
  return `${docComment(fieldComment(field, { text, isArgument }), '  ')}  readonly ${name}${isOptional ? '?' : ''}: ${text}${also}\n`
}

/** An empty text and empty bytes mean that the parameter is omitted, so they are not shown as a default. */
const isShown = (value) => value !== undefined && value !== '' && !(value instanceof Uint8Array)

const literal = (value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))
