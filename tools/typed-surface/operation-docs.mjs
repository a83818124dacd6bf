// Reads the doc comments of operations: the documented refusals of each method (`@throws KernelError <status> if ...`) and its example.
import ts from 'typescript-5'
import { Definitions } from './definitions.mjs'
import { FACADES } from './facades.mjs'

/** Written by operations that a caller can only be refused for the reasons that all methods have in common. */
const NO_REFUSALS = 'no errors of its own.'

const REFUSAL = /^KernelError ([45]\d\d) (.+)$/

/**
 * @param {string} root of the project
 * @returns {{
 *   refusals: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>,
 *   examples: ReadonlyMap<string, string>,
 * }} The refusals by interface, method and HTTP status, and the code of the examples by method, such as `transit.encrypt`.
 * @throws Error if the doc comment of a method does not document refusals
 */
export function operationDocs(root) {
  const definitions = new Definitions(root)
  const refusals = {}
  const examples = new Map()
  for (const { name: facade, module, operations, view } of FACADES) {
    const ofFacade = {}
    const note = (method, places) => {
      const documented = docsAt(places)
      if (!documented) throw new Error(`${fileOf(places.at(-1))}: write the refusals of ${method} in a doc comment above it`)
      ofFacade[method] = documented.refusals
      // The example of a list may show how to watch the list.
      for (const code of documented.examples) examples.set(`${view}.${code.includes('.watch(') ? 'watch' : method}`, code)
    }
    for (const [method, { places, expression }] of definitions.membersAt(module, operations)) {
      note(method, places)
      if (isBatch(expression)) note(`${method}Batch`, itemsOf(expression))
    }
    refusals[facade] = ofFacade
  }
  return { refusals, examples }
}

const fileOf = (place) => place.getSourceFile().fileName

const isBatch = (expression) => ts.isCallExpression(expression) && expression.expression.getText() === 'batchOperation'

/** The place of the doc comment of a batch method: the property `item` of the definition. */
const itemsOf = (expression) => expression.arguments[0].properties.filter(({ name }) => name?.text === 'item')

/** The content of the first doc comment that documents refusals. */
function docsAt(places) {
  for (const place of places) {
    const tags = tagsOf(place)
    const textsOf = (name) => tags.filter(({ tag }) => tag === name).map(({ lines }) => lines.join('\n').trim())
    const thrown = textsOf('throws').map((text) => text.replaceAll(/\s+/g, ' '))
    if (thrown.length > 0) return { refusals: refusalsOf(thrown, place), examples: textsOf('example') }
  }
  return undefined
}

function refusalsOf(thrown, place) {
  const refusals = {}
  for (const text of thrown) {
    if (text === NO_REFUSALS && thrown.length === 1) return {}
    const [, status, reason] = REFUSAL.exec(text) ?? []
    if (!status || status in refusals) throw new Error(`${fileOf(place)}: cannot read "@throws ${text}"`)
    refusals[status] = reason
  }
  return refusals
}

/** The tags of a doc comment. The first line of a tag is the text that follows its name. */
function tagsOf(place) {
  const source = place.getSourceFile().text
  const range = ts.getLeadingCommentRanges(source, place.getFullStart())?.at(-1)
  const comment = range ? source.slice(range.pos, range.end) : ''
  if (!comment.startsWith('/**')) return []
  const tags = []
  for (const row of comment.slice(3, -2).split('\n')) {
    const line = row.replace(/^\s*\* ?/, '').trimEnd()
    const [, tag, text] = /^\s*@(\w+) ?(.*)$/.exec(line) ?? []
    if (tag) tags.push({ tag, lines: [text] })
    else tags.at(-1)?.lines.push(line)
  }
  return tags
}
