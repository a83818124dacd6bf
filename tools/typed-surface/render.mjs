// Renders a facade as TypeScript: an interface with its methods, and interfaces for the arguments and the result of each method.
import { CHOICES } from './choices.mjs'
import { linesBeyond } from './declared-interface.mjs'
import { docComment, memberLines } from './doc-comment.mjs'

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

const ARGUMENTS_OF = 'The arguments of'

export const capital = (name) => name.replace(/^./, (first) => first.toUpperCase())

/**
 * @typedef {object} Parts
 * @property {Readonly<Record<string, any>>} operations
 * @property {ReturnType<typeof import('./type-texts.mjs').typeTexts>} types
 * @property {Readonly<Record<string, Readonly<Record<string, string>>>>} refusals by method and status
 * @property {ReadonlyMap<string, string>} examples
 * @property {RenderedFacade} [base] the facade whose interfaces this facade shares, which was rendered before
 *
 * @typedef {import('./declared-interface.mjs').DeclaredInterface} DeclaredInterface
 *
 * @typedef {object} RenderedFacade
 * @property {string} surface the interface of the methods
 * @property {readonly DeclaredInterface[]} argumentTypes
 * @property {readonly DeclaredInterface[]} resultTypes
 * @property {ReadonlyMap<string, string>} known the file of each type that the generated code uses
 * @property {readonly string[]} shared the interfaces that are imported from the base facade; as in an import, some with `as` and another name
 *
 * @param {import('./facades.mjs').FacadeSource} facade
 * @param {Parts} parts
 * @returns {RenderedFacade}
 */
export function renderFacade(facade, { operations, types, refusals, examples, base }) {
  const known = new Map(OF_API)
  const methods = []
  /** @type {DeclaredInterface[]} */
  const argumentTypes = []
  /** @type {DeclaredInterface[]} */
  const resultTypes = []
  const shared = []
  const resultsOf = new Map(
    Object.entries(facade.shared ?? {}).map(([method, name]) => [operations[method].returns, { name, method }]),
  )

  /**
   * Adds an interface to `list`, unless the base facade has an equal one. If it has one with some of the members, the interface extends it.
   * @param {DeclaredInterface} declared
   */
  function declare(list, declared) {
    const { name, methods: users, lines } = declared
    const ofBase = [...(base?.argumentTypes ?? []), ...(base?.resultTypes ?? [])].find((one) => one.name === name)
    const rest = ofBase && !declared.choices && !ofBase.choices ? linesBeyond(lines, ofBase.lines) : undefined
    if (!ofBase || !rest) return list.push(declared)
    if (rest.length === 0) {
      ofBase.methods.push(...users)
      return shared.push(name)
    }
    const alias = `${facade.base.prefix}${name}`
    shared.push(`${name} as ${alias}`)
    return list.push({ ...declared, lines: rest, base: alias })
  }

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
    const named = resultsOf.get(returns)
    const name = named?.name ?? `${capital(method)}Result`
    if (!named || named.method === method)
      declare(resultTypes, {
        name,
        what: 'The result of',
        methods: [`${facade.view}.${method}`],
        lines: members(method, 'returns', returns),
      })
    return name
  }

  /** @returns The name of the type. */
  function addArguments(method, lines, choices) {
    const name = `${capital(method)}Arguments`
    const user = `${facade.view}.${method}`
    const like = argumentTypes.find((one) => one.name === `${capital(facade.argumentsLike?.[method] ?? '')}Arguments`)
    const rest = like && linesBeyond(lines, like.lines)
    if (rest?.length === 0) {
      like.methods.push(user)
      return like.name
    }
    const declared = { name, what: ARGUMENTS_OF, methods: [user], lines, choices }
    declare(argumentTypes, rest ? { ...declared, lines: rest, base: like.name } : declared)
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
    const own = members(method, 'fields', fields)
    const ofItem = batch ? members(method, 'item', item) : []
    const all = [...own, ...ofItem]
    const choices = CHOICES[`${facade.view}.${method}`]
    const type = all.length > 0 ? addArguments(method, all, choices) : 'NoArguments'
    const mayLackAll = !choices && all.every((member) => /^ {2}readonly \w+\?:/m.test(member))
    const result = nameOfResult(method, returns)
    const answer = result ? `Reply<${result}>` : 'NoResult'
    addMethod(method, method, { args: `args${mayLackAll ? '?' : ''}: ${type}`, answer })
    if (!batch) continue
    const reference = `${docComment(['Any string. It is returned with the result of the item.'], '  ')}  readonly reference?: string\n`
    const items = `${docComment([ITEMS], '  ')}  readonly batch_input: readonly ${Name}Item[]\n`
    const users = [`${facade.view}.${method}Batch`]
    declare(argumentTypes, { name: `${Name}Item`, what: 'An item of', methods: users, lines: [...ofItem, reference], choices })
    declare(argumentTypes, { name: `${Name}BatchArguments`, what: ARGUMENTS_OF, methods: users, lines: [...own, items] })
    const many = { args: `args: ${Name}BatchArguments`, answer: `Reply<BatchReply<${result}>>`, more: [MANY] }
    addMethod(`${method}Batch`, method, many)
  }

  const surface = `${docComment([facade.about, COMMON])}export interface ${facade.name} {\n${methods.join('\n')}}\n`
  return { surface, argumentTypes, resultTypes, known, shared }
}

function methodTexts({ path: mount }, { summary, verb, path, sudo, rootOnly }, more) {
  const needs = sudo ? ' Views made by `as(token)` need `sudo`.' : ''
  const where = rootOnly
    ? ' This method exists only in the root namespace: in another namespace, the call is refused with status 400.'
    : ''
  return [`${summary}${needs}${where}`, ...more, `\`${verb} ${mount}${path.slice(1)}\``]
}

export const refusedTags = (refused) => Object.entries(refused).map(([status, text]) => `@throws KernelError ${status} ${text}`)
