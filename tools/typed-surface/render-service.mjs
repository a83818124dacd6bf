// Renders a facade of the configuration service as TypeScript: an interface with its methods, and an interface for the arguments of each method.
import { block } from './declared-interface.mjs'
import { docComment, memberLines } from './doc-comment.mjs'
import { inFiles, whole } from './files.mjs'
import { capital, refusedTags } from './render.mjs'

const OPERATION = 'configsvc/operation.ts'

const COMMON = [
  'Each method lists its own errors. Every method also throws a `TypeError` if an argument is missing, unknown or of a wrong type, or',
  'if the service is closed. Every method also throws a `KernelError` with status 503 if the service is sealed or its store cannot be reached, and',
  'with status 400 if `ns` or `partition` is invalid, or if `dc` is not the datacenter of this service. On views made by `as(token)`, the status is',
  '403 if the token is invalid or lacks the permission. A message names the parameter and the rule; programs should use `code` and `status`.',
].join(' ')

const WATCHED = [
  'immediately and after each change. Several changes in quick succession can be reported as one. The iteration ends when the signal is aborted',
  'or when the loop is left.',
].join(' ')
const WATCH_ENDS =
  '@throws KernelError 403 if the caller loses the permission to read, or 503 if the service is sealed or its store cannot be reached.'

/** Parameters of every method. */
const EVERYWHERE = ['ns', 'partition', 'dc']
const PLACE = 'PlaceArguments'

/**
 * @param {import('./facades.mjs').FacadeSource} facade
 * @param {import('./render.mjs').Parts & { records: import('./named-records.mjs').NamedRecords }} parts
 * @returns {ReadonlyMap<string, string>} Files by path.
 */
export function renderServiceFacade(facade, { operations, types, refusals, examples, records }) {
  const { module, view } = facade
  const known = new Map([['WatchOptions', OPERATION]])
  const methods = []
  const watched = []
  const argumentTexts = []

  const placeOf = (...way) => ({ module, path: [facade.operations, ...way].join('.'), way: [], file: facade.records })

  function membersOf(method, { fields, body }, isWanted) {
    const all = Object.entries({ ...fields, ...body, ...fields }).filter(([name]) => isWanted(name))
    return all.map(([name, field]) => {
      const place = placeOf(method, name in fields ? 'fields' : 'body', name)
      const text = records.textOf(field, place, { isArgument: true, known })
      return memberLines(field, { name, text, isOptional: types.isOptional(module, place.path), isArgument: true })
    })
  }

  /** The first argument of a method that takes one member of its body before the other arguments; otherwise empty. */
  function leadOf(method, { body, leads: member }) {
    if (!member) return ''
    const text = records.textOf(body[member], placeOf(method, 'body', member), { isArgument: true, known })
    return `${member}: ${text}, `
  }

  function argumentsOf(method, operation) {
    const lead = leadOf(method, operation)
    const isOwn = (name) => !EVERYWHERE.includes(name) && !(lead && name === operation.leads)
    const place = membersOf(method, operation, (name) => EVERYWHERE.includes(name))
    records.declare(PLACE, {
      about: 'The namespace, partition and datacenter of a call.',
      lines: place,
      known: new Map(),
      file: facade.records,
    })
    known.set(PLACE, facade.records)
    const own = membersOf(method, operation, isOwn)
    if (own.length === 0) return `${lead}args?: ${PLACE}`
    const type = `${facade.thing}${capital(method)}Arguments`
    argumentTexts.push(block(`${type} extends ${PLACE}`, `The arguments of \`${view}.${method}\`.`, own))
    return `${lead}args${own.every((member) => /^ {2}readonly \w+\?:/m.test(member)) ? '?' : ''}: ${type}`
  }

  for (const [method, operation] of Object.entries(operations)) {
    const { answers, table, notFoundMessage } = operation
    const args = argumentsOf(method, operation)
    const answer = records.textOf(answers, placeOf(method, 'answers'), { isArgument: false, known })
    const example = examples.get(`${view}.${method}`)
    const tags = [
      `@returns ${answers.description}`,
      ...refusedTags(refusals[method] ?? {}),
      ...(example ? [`@example\n${example}`] : []),
    ]
    methods.push(`${docComment([...methodTexts(operation), ...tags], '  ')}  ${method}(${args}): Promise<${answer}>\n`)
    if (!table) continue
    const found = notFoundMessage ? `${answer} | undefined` : answer
    const what = `The result of \`${method}\`${notFoundMessage ? ', or undefined if the object does not exist,' : ','} ${WATCHED}`
    const loop = method === 'list' && examples.get(`${view}.watch`)
    const comment = [what, WATCH_ENDS, ...(loop ? [`@example\n${loop}`] : [])]
    watched.push(
      `${docComment(comment, '  ')}  watch(read: '${method}', ${args}, options?: WatchOptions): AsyncIterable<${found}>\n`,
    )
  }

  const all = [...methods, ...watched].join('\n')
  const surface = `${docComment([facade.about, COMMON])}export interface ${facade.name} {\n${all}}\n`
  return inFiles(facade.file, { surface, argumentTexts, resultTexts: [], known })
}

function methodTexts({ summary, verb, path, permission, unrouted }) {
  const needs = permission ? ` Views made by \`as(token)\` need \`${permission}\`.` : ''
  return [`${summary}${needs}`, ...(unrouted ? [] : [`\`${verb} ${path.slice(1)}\``])]
}

/**
 * The files with the object types that facades share.
 * @param {import('./named-records.mjs').NamedRecords} records
 */
export function renderRecords(records) {
  const files = new Map()
  for (const { file, text, known } of records.all.values()) {
    const { texts, names } = files.get(file) ?? { texts: [], names: new Map() }
    files.set(file, { texts: [...texts, text], names: new Map([...names, ...known]) })
  }
  return new Map([...files].map(([file, { texts, names }]) => [file, whole(file, texts, names)]))
}
