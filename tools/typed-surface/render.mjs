// Renders a facade as TypeScript: an interface with its methods, and interfaces for the arguments and the result of each method.
import { CHOICES, choiceType } from './choices.mjs'
import { docComment, memberLines } from './doc-comment.mjs'
import { inFiles } from './files.mjs'

const API = 'core/contract/api.ts'
const OF_API = [
  ...['BatchReply', 'CallOptions', 'NoArguments', 'NoResult', 'Reply'].map((name) => [name, API]),
  ...['AnyOf', 'AtMostOne', 'OneOf'].map((name) => [name, 'core/contract/choices.ts']),
]

const COMMON = [
  'Each method lists its own errors. Every method also throws a `TypeError` if an argument is missing, unknown or of a wrong type. Every',
  'method also throws a `KernelError` with status 503 if the kernel is sealed or its store cannot be reached, with status 404 if the namespace or',
  'the mount does not exist or if a name is too long for a path, and with status 500 if the audit log does not accept the entry. On views made by',
  '`as(token)`, the status is 403 if the token is invalid or if its policies do not allow the call. A message names the parameter and the rule;',
  'programs should use `code` and `status`.',
].join(' ')

const MANY =
  'This method processes many items in one call. If an item is refused, its result has an `error`, and the other items are not affected.'
const ITEMS =
  'At least one item. Results are in the order of the items. Do not change the list until the promise settles, because the call may read it until then.'

/** An interface with a doc comment. @param lines the declarations of its members */
export const block = (name, comment, lines) => `${docComment([comment])}export interface ${name} {\n${lines.join('\n')}}\n`

/** An interface. If there are rules about several members, also a type that adds the rules to the interface. */
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
  /** The file of each type that the generated code uses. */
  const known = new Map(OF_API)
  const methods = []
  const argumentTexts = []
  const resultTexts = []
  const resultsOf = new Map(
    Object.entries(facade.shared ?? {}).map(([method, name]) => [operations[method].returns, { name, method }]),
  )

  const pathTo = (method, part, name) => `${facade.operations}.${method}.${part}.${name}`

  function members(method, part, fields) {
    const isArgument = part !== 'returns'
    return Object.entries(fields).map(([name, field]) => {
      const path = pathTo(method, part, name)
      const { text, imports } = (isArgument ? types.argumentType : types.resultType)(facade.module, path)
      for (const [type, file] of imports) known.set(type, file)
      return memberLines(field, { name, text, isOptional: types.isOptional(facade.module, path), isArgument })
    })
  }

  function nameOfResult(method, returns) {
    if (Object.keys(returns).length === 0) return undefined
    const shared = resultsOf.get(returns)
    const name = shared?.name ?? `${capital(method)}Result`
    if (!shared || shared.method === method)
      resultTexts.push(block(name, `The result of \`${facade.view}.${method}\`.`, members(method, 'returns', returns)))
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
    if (all.length > 0) argumentTexts.push(...argumentTypes(`${Name}Arguments`, what(method), all, choices))
    const mayLackAll = !choices && all.every((member) => /^ {2}readonly \w+\?:/m.test(member))
    const args = `args${mayLackAll ? '?' : ''}: ${all.length > 0 ? `${Name}Arguments` : 'NoArguments'}`
    const result = nameOfResult(method, returns)
    addMethod(method, method, { args, answer: result ? `Reply<${result}>` : 'NoResult' })
    if (!batch) continue
    const reference = `${docComment(['Any string. It is returned with the result of the item.'], '  ')}  readonly reference?: string\n`
    const items = `${docComment([ITEMS], '  ')}  readonly batch_input: readonly ${Name}Item[]\n`
    argumentTexts.push(
      ...argumentTypes(`${Name}Item`, `An item of \`${facade.view}.${method}Batch\`.`, [...ofItem, reference], choices),
    )
    argumentTexts.push(block(`${Name}BatchArguments`, what(`${method}Batch`), [...own, items]))
    const many = { args: `args: ${Name}BatchArguments`, answer: `Reply<BatchReply<${result}>>`, more: [MANY] }
    addMethod(`${method}Batch`, method, many)
  }

  const surface = `${docComment([facade.about, COMMON])}export interface ${facade.name} {\n${methods.join('\n')}}\n`
  return inFiles(facade.file, { surface, argumentTexts, resultTexts, known })
}

function methodTexts({ path: mount }, { summary, verb, path, sudo, rootOnly }, more) {
  const needs = sudo ? ' Views made by `as(token)` need `sudo`.' : ''
  const where = rootOnly
    ? ' This method exists only in the root namespace: in another namespace, the call is refused with status 400.'
    : ''
  return [`${summary}${needs}${where}`, ...more, `\`${verb} ${mount}${path.slice(1)}\``]
}

export const refusedTags = (refused) => Object.entries(refused).map(([status, text]) => `@throws KernelError ${status} ${text}`)
