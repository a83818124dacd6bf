// Splits a TypeScript file into the parts that check-layers needs: the code without comments and strings, the strings, and the imports.
// This is not a parser. The text before a slash decides whether the slash is a division or begins a regular expression; this is sufficient for
// formatted code.

/** Matches text after which a slash begins a regular expression. */
const BEFORE_REGEX = /(?:^|[=(,:;!&|?{}[+\-*%<>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield))\s*$/

export function readModule(source) {
  const strings = []
  let code = ''
  let at = 0
  // For each `${` that is still open: the number of open braces inside it.
  const templates = []

  const blank = (end) => {
    code += source.slice(at, end).replace(/[^\n]/g, ' ')
    at = end
  }
  const ending = (pattern, from) => {
    pattern.lastIndex = from
    const match = pattern.exec(source)
    return match ? match.index + match[0].length : source.length
  }
  const template = () => {
    const start = at
    const end = ending(/(?:[^\\`$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y, at)
    const opens = source.startsWith('${', end - 2)
    strings.push({ text: source.slice(start, end - (opens ? 2 : 1)), at: start })
    blank(end)
    if (opens) templates.push(0)
  }

  while (at < source.length) {
    const c = source[at]
    const two = source.slice(at, at + 2)
    if (two === '//') blank(ending(/.*/y, at))
    else if (two === '/*') blank(ending(/\*\//g, at + 2))
    else if (c === "'" || c === '"') {
      const end = ending(c === "'" ? /(?:[^\\'\n]|\\[\s\S])*'/y : /(?:[^\\"\n]|\\[\s\S])*"/y, at + 1)
      strings.push({ text: source.slice(at + 1, end - 1), at })
      blank(end)
    } else if (c === '`') {
      blank(at + 1)
      template()
    } else if (c === '}' && templates.at(-1) === 0) {
      templates.pop()
      blank(at + 1)
      template()
    } else if (c === '/' && BEFORE_REGEX.test(code.slice(-40)))
      blank(ending(/(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\/\w*/y, at + 1))
    else {
      if (templates.length > 0 && (c === '{' || c === '}')) templates[templates.length - 1] += c === '{' ? 1 : -1
      code += c
      at++
    }
  }

  return {
    code,
    strings,
    imports: importsOf(code, strings),
    lineOf: (to) => source.slice(0, to).split('\n').length,
    isDeclaration,
  }

  /** Whether the name that ends at `from` is the name in a method declaration: parameters follow, then a type or a body. */
  function isDeclaration(from) {
    const open = /^\s*(<[^()]*>)?\s*\(/.exec(code.slice(from))
    if (!open) return false
    let depth = 1
    let end = from + open[0].length
    for (; end < code.length && depth > 0; end++) depth += code[end] === '(' ? 1 : code[end] === ')' ? -1 : 0
    return /^\s*[:{]/.test(code.slice(end))
  }
}

/** The imports. `kind` is `type` (erased by the compiler), `value`, or `lazy` (loaded when the line runs). */
function importsOf(code, strings) {
  const statements = [...code.matchAll(/(?<![.\w$])(?:import|export)\b/g)].map(({ index }) => index)
  return strings.flatMap(({ text: specifier, at }) => {
    const before = code.slice(Math.max(0, at - 200), at).trimEnd()
    const call = /(\btypeof\s+|[:<|&]\s*)?\bimport\s*\($/.exec(before)
    if (call) return [{ specifier, at, kind: call[1] ? 'type' : 'lazy' }]
    if (/(?<![.\w$])import$/.test(before)) return [{ specifier, at, kind: 'value' }]
    if (!/\bfrom$/.test(before)) return []
    const start = statements.findLast((index) => index < at)
    if (start === undefined) return []
    // Only a statement with `import type` or `export type` is erased. A list of names that are all marked as types still loads the module.
    return [{ specifier, at, kind: /^(?:import|export)\s+type\s+(?!from\b|,)/.test(code.slice(start, at)) ? 'type' : 'value' }]
  })
}
