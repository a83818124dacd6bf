// The reference of all operations as markdown, from their definitions. Used by tools/reference.mjs.
import { FACADES } from './typed-surface/facades.mjs'

/** Where each of the kernel's own is found; an engine says so itself. */
const PLACES = { system: 'sys/', token: 'auth/token/' }

/** What every operation of the configuration service takes. */
const EVERYWHERE = ['ns', 'partition', 'dc']

/**
 * The typed method of each operation that has one, such as `transit.encrypt` of the kernel.
 * @param {(module: string) => Promise<any>} load imports a source by its path below `src/`
 * @returns {Promise<ReadonlyMap<object, string>>}
 */
export async function typedMethods(load) {
  const methods = new Map()
  for (const { module, operations, view, records } of FACADES) {
    // Those of the configuration service are named in its own section.
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

- A path is below \`/v1/\` and the mount. Parts in \`( )\` are optional; \`*path\` and \`+path\` match any number of segments. LIST is also GET with \`list=true\`; PUT is POST.
- A typed method is a method of \`kernel\`: \`transit.encrypt\` is \`kernel.transit.encrypt\`. Operations without one are for requests by path alone.
  \`cubbyhole\` belongs to a token, so it is on \`kernel.as(token)\`.
- Parameters of the path are not repeated; required ones are bold. The arguments of the typed method have the same names.
- For types and descriptions, send \`help=1\` to any path or read \`sys/internal/specs/openapi\`.`

function section({ type, operations, title, fresh = [] }, methods) {
  const rows = Object.values(operations).map((operation) => row(operation, methods.get(operation)))
  const head = `## \`${PLACES[type] ?? fresh[0]?.path ?? `${type}/`}\`${title ? `: ${title}` : ''}`
  return [`${head}\n`, '| | path | typed method | what it does | parameters |', '|---|---|---|---|---|', ...rows].join('\n')
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
  const typed = names.map((one) => `\`${one}\``).join(' ')
  return `| ${verb} | \`${path.slice(1) || '/'}\` | ${typed} | ${escaped(summary)}${marks.join('')} | ${parameters.join(', ')} |`
}

const SERVICE_HEAD = `## The configuration service

Paths are below \`/v1/\` of [a service of its own](configsvc.md): \`kernel.configsvc.handle()\`, or what \`createConfigService\` makes. PUT and POST are two verbs there. Every operation takes \`ns\`,
\`partition\` and \`dc\` besides; reads that can be watched take \`index\` and \`wait\` in the query. Names are those of the body, in any case; a permission is what a token needs.`

/** @param facades `{ policies: { create: operation, ... }, ... }`; methods of the service itself have an empty name before them. */
function serviceSection(facades) {
  const rows = Object.entries(facades).flatMap(([facade, operations]) =>
    Object.entries(operations).map(([name, operation]) => serviceRow(facade === '' ? name : `${facade}.${name}`, operation)),
  )
  return [
    `${SERVICE_HEAD}\n`,
    '| | path | typed method | what it does | permission | parameters |',
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
