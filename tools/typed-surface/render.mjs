// Renders a facade as TypeScript: an interface of its methods, and interfaces for the arguments and the result of each.
import { CHOICES, choiceType } from './choices.mjs'
import { docComment, memberLines } from './doc-comment.mjs'
import { inFiles } from './files.mjs'

const API = 'core/contract/api.ts'
const OF_API = [
  ...['BatchReply', 'CallOptions', 'NoArguments', 'NoResult', 'Reply'].map((name) => [name, API]),
  ...['AnyOf', 'AtMostOne', 'OneOf'].map((name) => [name, 'core/contract/choices.ts']),
]

const COMMON = [
  'In addition to the errors that are listed for a method, every method throws a `TypeError` if an argument is missing, unknown or of a wrong',
  'type, and a `KernelError` with one of these statuses: 503 if the kernel is sealed or its store cannot be reached; 404 if the namespace or the',
  'mount does not exist, or if a name is too long for a path; 500 if the audit log does not accept the entry; on views made by `as(token)`, 403 if',
  'the token is invalid or its policies do not allow the call. Messages name the parameter and the rule. Programs should use `code` and',
  '`status`.',
].join(' ')

const MANY =
  'Runs the operation for many items in one call. If an item is refused, its result has an `error`. The other items are not affected.'
const ITEMS =
  'At least one item. Results are in the order of the items. Do not change the list until the promise settles: long lists are processed in several steps.'

/** @param lines of members */
export const block = (name, comment, lines) => `${docComment([comment])}export interface ${name} {\n${lines.join('\n')}}\n`

/** An interface; with rules about several members also a type that adds them. */
function argumentTypes(name, comment, members, choices) {
  if (!choices) return [block(name, comment, members)]
  const plain = `${name}Members`
  return [block(plain, comment, members), `${docComment([comment])}${choiceType(name, plain, choices)}`]
}

export const capital = (name) => name.replace(/^./, (first) => first.toUpperCase())

/**
 * @typedef {object} Parts
 * @property {Readonly<Record<string, any>>} operations
 * @property {ReturnType<typeof import('./type-texts.mjs').typeTexts>} types
 * @property {Readonly<Record<string, Readonly<Record<string, string>>>>} refusals by method and status
 * @property {ReadonlyMap<string, string>} examples
 *
 * @param {import('./facades.mjs').FacadeSource} facade
 * @param {Parts} parts
 * @returns {ReadonlyMap<string, string>} Files by path.
 */
export function renderFacade(facade, { operations, types, refusals, examples }) {
  /** Names and where they come from, of all that is referred to. */
  const known = new Map(OF_API)
  const methods = []
  const taken = []
  const given = []
  const resultsOf = new Map(
    Object.entries(facade.shared ?? {}).map(([method, name]) => [operations[method].returns, { name, method }]),
  )

  const pathTo = (method, part, name) => `${facade.operations}.${method}.${part}.${name}`

  function members(method, part, fields) {
    const isArgument = part !== 'returns'
    return Object.entries(fields).map(([name, field]) => {
      const path = pathTo(method, part, name)
      const { text, imports } = (isArgument ? types.taken : types.given)(facade.module, path)
      for (const [type, file] of imports) known.set(type, file)
      return memberLines(field, { name, text, isOptional: types.isOptional(facade.module, path), isArgument })
    })
  }

  function nameOfResult(method, returns) {
    if (Object.keys(returns).length === 0) return undefined
    const shared = resultsOf.get(returns)
    const name = shared?.name ?? `${capital(method)}Result`
    if (!shared || shared.method === method)
      given.push(block(name, `The result of \`${facade.view}.${method}\`.`, members(method, 'returns', returns)))
    return name
  }

  function addMethod(name, operation, { args, answer, more = [] }) {
    const example = examples.get(`${facade.view}.${name}`)
    const tags = [...refusedTags(refusals[name] ?? {}), ...(example ? [`@example\n${example}`] : [])]
    const comment = docComment([...methodTexts(facade, operations[operation], more), ...tags], '  ')
    methods.push(`${comment}  ${name}(${args}, options?: CallOptions): Promise<${answer}>\n`)
  }

  for (const [method, { fields, item, batch, returns }] of Object.entries(operations)) {
    const Name = capital(method)
    const what = (name) => `The arguments of \`${facade.view}.${name}\`.`
    const own = members(method, 'fields', fields)
    const ofItem = batch ? members(method, 'item', item) : []
    const all = [...own, ...ofItem]
    const choices = CHOICES[`${facade.view}.${method}`]
    if (all.length > 0) taken.push(...argumentTypes(`${Name}Arguments`, what(method), all, choices))
    const mayLackAll = !choices && all.every((member) => /^ {2}readonly \w+\?:/m.test(member))
    const args = `args${mayLackAll ? '?' : ''}: ${all.length > 0 ? `${Name}Arguments` : 'NoArguments'}`
    const result = nameOfResult(method, returns)
    addMethod(method, method, { args, answer: result ? `Reply<${result}>` : 'NoResult' })
    if (!batch) continue
    const reference = `${docComment(['Any string. It is returned with the result of the item.'], '  ')}  readonly reference?: string\n`
    const items = `${docComment([ITEMS], '  ')}  readonly batch_input: readonly ${Name}Item[]\n`
    taken.push(...argumentTypes(`${Name}Item`, `An item of \`${facade.view}.${method}Batch\`.`, [...ofItem, reference], choices))
    taken.push(block(`${Name}BatchArguments`, what(`${method}Batch`), [...own, items]))
    const many = { args: `args: ${Name}BatchArguments`, answer: `Reply<BatchReply<${result}>>`, more: [MANY] }
    addMethod(`${method}Batch`, method, many)
  }

  const surface = `${docComment([facade.about, COMMON])}export interface ${facade.name} {\n${methods.join('\n')}}\n`
  return inFiles(facade.file, { surface, taken, given, known })
}

function methodTexts({ path: mount }, { summary, verb, path, sudo, rootOnly }, more) {
  const needs = sudo ? ' On views made by `as(token)` it needs `sudo`.' : ''
  const where = rootOnly ? ' In the root namespace only; 400 elsewhere.' : ''
  return [`${summary}${needs}${where}`, ...more, `\`${verb} ${mount}${path.slice(1)}\``]
}

export const refusedTags = (refused) => Object.entries(refused).map(([status, text]) => `@throws KernelError ${status} ${text}`)
