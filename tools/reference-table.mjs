// The reference of all operations as markdown, from their definitions. Used by tools/reference.mjs and by the test that compares.

/** Where each of the kernel's own is found; an engine says so itself. */
const PLACES = { system: 'sys/', token: 'auth/token/' }

/** What every operation of the configuration service takes. */
const EVERYWHERE = ['ns', 'partition', 'dc']

/**
 * @param {Readonly<Record<string, Readonly<Record<string, any>>>>} facades of the configuration service
 * @param {readonly { readonly type: string, readonly operations: Readonly<Record<string, any>>, readonly title?: string, readonly fresh?: readonly { readonly path: string }[] }[]} engines
 * @returns {string}
 */
export function referenceOf(engines, facades) {
  const parts = engines.filter(({ operations }) => Object.keys(operations).length > 0).map(section)
  parts.push(serviceSection(facades))
  return `${[HEAD, ...parts].join('\n\n')}\n`
}

const HEAD = `# Reference

Every operation, made from its definition by \`npm run reference\`. Paths are below \`/v1/\` and the mount; what stands in \`( )\` may be left out, \`*path\` and \`+path\` take any number
of segments. LIST is also GET with \`list=true\`, PUT is POST. Parameters in the path are not listed again; those in bold are required. The same names are the arguments of the typed methods.
\`help=1\` at any path, and \`sys/internal/specs/openapi\`, tell the types and what each is for.`

function section({ type, operations, title, fresh = [] }) {
  const rows = Object.entries(operations).map(([name, operation]) => row(name, operation))
  const head = `## \`${PLACES[type] ?? fresh[0]?.path ?? `${type}/`}\`${title ? `: ${title}` : ''}`
  return [`${head}\n`, '| | path | typed name | what | parameters |', '|---|---|---|---|---|', ...rows].join('\n')
}

function row(name, { verb, path, summary, fields, item = {}, batch, sudo, unauthenticated }) {
  const inPath = new Set([...path.matchAll(/[:*+](\w+)/g)].map(([, capture]) => capture))
  const parameters = Object.entries({ ...fields, ...item })
    .filter(([field]) => !inPath.has(field))
    .map(
      ([field, { required, deprecated }]) =>
        (required && !(field in item) ? `**\`${field}\`**` : `\`${field}\``) + (deprecated ? ' (deprecated)' : ''),
    )
  const names = batch ? [name, `${name}Batch`] : [name]
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
    '| | path | typed name | what | permission | parameters |',
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
