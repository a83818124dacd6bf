// Generates the page docs/reference.md from the definitions of all operations. Used by tools/reference.mjs.
import { FACADES } from './typed-surface/facades.mjs'

/** The mount paths of the kernel's built-in mounts. The definition of an engine contains its own path. */
const PLACES = { system: 'sys/', token: 'auth/token/' }

/** The parameters of every operation of the configuration service. */
const EVERYWHERE = ['ns', 'partition', 'dc']

/**
 * The typed method of each operation that has one, such as `transit.encrypt` of the kernel.
 * @param {(module: string) => Promise<any>} load imports a source by its path below `src/`
 * @returns {Promise<ReadonlyMap<object, string>>}
 */
export async function typedMethods(load) {
  const methods = new Map()
  for (const { module, operations, view, records } of FACADES) {
    // The section of the configuration service shows the typed methods of that service.
    if (records) continue
    const found = operations.split('.').reduce((value, name) => value[name], await load(module))
    for (const [name, operation] of Object.entries(found)) methods.set(operation, `${view}.${name}`)
  }
  return methods
}

/**
 * @param {readonly { readonly type: string, readonly operations: Readonly<Record<string, any>>, readonly title?: string, readonly fresh?: readonly { readonly path: string }[] }[]} engines
 * @param {Readonly<Record<string, Readonly<Record<string, any>>>>} facades of the configuration service
 * @param {ReadonlyMap<object, string>} methods as {@link typedMethods} returns them
 * @returns {string}
 */
export function referenceOf(engines, facades, methods) {
  const parts = engines.filter(({ operations }) => Object.keys(operations).length > 0).map((engine) => section(engine, methods))
  parts.push(serviceSection(facades))
  return `${[HEAD, ...parts].join('\n\n')}\n`
}

const HEAD = `# Reference

Which operations exist, with their paths, typed methods and parameters? \`npm run reference\` writes this page from the definitions.

- The URL of an operation consists of \`/v1/\`, the mount path in the heading of the section, and the path in the row. Parts in \`( )\` are optional; \`*path\` and \`+path\` match any number of segments.
  GET with \`list=true\` is equivalent to LIST, and PUT is equivalent to POST.
- A typed method is a method of \`kernel\`: \`transit.encrypt\` is \`kernel.transit.encrypt\`. An operation without a typed method can only be called by path.
  Every token has a \`cubbyhole\` of its own, so the methods of \`cubbyhole\` are on \`kernel.as(token)\`.
- The last column omits the parameters that are in the path. Required parameters are bold. The arguments of the typed method have the same names.
- For types and descriptions, send a request with \`help=1\` in the query to any path, or read \`sys/internal/specs/openapi\`.`

function section({ type, operations, title, fresh = [] }, methods) {
  const rows = Object.values(operations).map((operation) => row(operation, methods.get(operation)))
  const head = `## \`${PLACES[type] ?? fresh[0]?.path ?? `${type}/`}\`${title ? `: ${title}` : ''}`
  return [`${head}\n`, '| verb | path | typed method | what it does | parameters |', '|---|---|---|---|---|', ...rows].join('\n')
}

function row({ verb, path, summary, fields, item = {}, batch, sudo, unauthenticated }, method) {
  const inPath = new Set([...path.matchAll(/[:*+](\w+)/g)].map(([, capture]) => capture))
  const parameters = Object.entries({ ...fields, ...item })
    .filter(([field]) => !inPath.has(field))
    .map(
      ([field, { required, deprecated }]) =>
        (required && !(field in item) ? `**\`${field}\`**` : `\`${field}\``) + (deprecated ? ' (deprecated)' : ''),
    )
  const names = method === undefined ? [] : batch ? [method, `${method}Batch`] : [method]
  const marks = [sudo && 'Needs `sudo`.', unauthenticated && 'Needs no token.'].filter(Boolean).map((mark) => ` ${mark}`)
  const typed = names.map((name) => `\`${name}\``).join(' ')
  return `| ${verb} | \`${path.slice(1) || '/'}\` | ${typed} | ${escaped(summary)}${marks.join('')} | ${parameters.join(', ')} |`
}

const SERVICE_HEAD = `## The configuration service

The [configuration service](configsvc.md) is \`kernel.configsvc\`, or the result of \`createConfigService\`. Its method \`handle()\` accepts these paths below \`/v1/\`. Here, PUT and POST are different verbs. Every operation also accepts
\`ns\`, \`partition\` and \`dc\`. A read that can be watched also accepts \`index\` and \`wait\` in the query. Parameters have the names of the members of the JSON body, regardless of case. The permission is required for the caller's token.`

/** @param facades `{ policies: { create: operation, ... }, ... }`; the key of the methods of the service itself is empty. */
function serviceSection(facades) {
  const rows = Object.entries(facades).flatMap(([facade, operations]) =>
    Object.entries(operations).map(([name, operation]) => serviceRow(facade === '' ? name : `${facade}.${name}`, operation)),
  )
  return [
    `${SERVICE_HEAD}\n`,
    '| verb | path | typed method | what it does | permission | parameters |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function serviceRow(name, { verb, path, unrouted, summary, permission = '', fields, body, table }) {
  const inPath = new Set([...path.matchAll(/[:*+](\w+)/g)].map(([, capture]) => capture))
  const parameters = Object.entries({ ...body, ...fields })
    .filter(([field]) => !inPath.has(field) && !EVERYWHERE.includes(field))
    .map(([field, { required }]) => (required ? `**\`${field}\`**` : `\`${field}\``))
  const where = unrouted ? '| |' : `| ${verb} | \`${path.slice(1)}\` |`
  const can = permission === '' ? '' : `\`${permission}\``
  const watched = table ? ' Can be watched.' : ''
  return `${where} \`${name}\` | ${escaped(summary)}${watched} | ${can} | ${parameters.join(', ')} |`
}

const escaped = (text) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
