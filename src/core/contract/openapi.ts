/** Creates OpenAPI 3 documents from the definitions of operations. */
import { Pace, type Steps } from '../base/steps.ts'
import { VERSION } from '../base/version.ts'
import { HTTP_METHODS, type KeepSchema, listFlag, operationObject, pathParameters } from './openapi-operation.ts'
import type { Json } from './openapi-schemas.ts'
import type { AnyOperation, Operations } from './operation.ts'
import { type ShownPath, shownPaths } from './path-templates.ts'

/** The operations of one mount. */
export interface DocumentedMount {
  /** The mount's path with a slash at the end: `auth/token/`. */
  readonly mount: string
  /** The engine's type. */
  readonly type: string
  readonly operations: Operations
}

export interface OpenApiOptions {
  /** The prefix of the names of the kernel's own headers, such as `X-Vault`. */
  readonly headerPrefix: string
  /** The path prefix to which all paths are relative. Default: the root of the API, so every path begins with the path of its mount. */
  readonly below?: string
}

const INFO = {
  title: 'strongroom',
  description: 'A secrets kernel: keys, secrets, tokens and policies.',
  version: VERSION,
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
}

const REFUSAL = {
  description: 'The request was refused. `errors` contains messages that name the parameter and the rule.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: { errors: { type: 'array', items: { type: 'string' } } },
        required: ['errors'],
      },
    },
  },
}

/** The estimated cost of an operation in the document. */
const OPERATION_MICROSECONDS = 100

export function* openApi(parts: readonly DocumentedMount[], { headerPrefix, below = '' }: OpenApiOptions): Steps<Json> {
  const pace = new Pace()
  const paths = new Paths(`x-${headerPrefix.replace(/^x-/i, '').toLowerCase()}`)
  for (const part of parts)
    for (const [name, op] of Object.entries(part.operations)) {
      for (const shown of shownPaths(op)) paths.add(part, name, op, shown, below)
      if (pace.spend(OPERATION_MICROSECONDS)) yield
    }
  return {
    openapi: '3.0.2',
    info: INFO,
    servers: [{ url: `/v1/${below}`.replace(/\/$/, '') }],
    security: [{ token: [] }, { bearer: [] }],
    paths: paths.items,
    components: {
      schemas: paths.schemas,
      responses: { Refusal: REFUSAL },
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: `${headerPrefix}-Token` },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}

type Item = Record<string, unknown>

class Paths {
  readonly items: Record<string, Item> = {}
  readonly schemas: Record<string, Json> = {}
  readonly #extension: string
  readonly #names = new Map<AnyOperation, Map<string, string>>()
  readonly #ids = new Set<string>()
  readonly #kept = new Set<string>()

  /** @param extension The prefix for the names of extension members: `x-vault`. */
  constructor(extension: string) {
    this.#extension = extension
  }

  add(part: DocumentedMount, name: string, op: AnyOperation, shown: ShownPath, below: string): void {
    const path = `/${part.mount.slice(below.length)}${shown.path.slice(1)}`
    const known = this.items[path]
    const item = known ?? this.#item(path, op, shown)
    this.#mark(item, op)
    const method = HTTP_METHODS[op.verb]
    const other = item[method] as Json | undefined
    if (other) {
      item[method] = merged(other, op, shown, op.verb === 'LIST')
      return
    }
    const id = this.#id(part.mount, name, op, shown)
    item[method] = operationObject(op, shown, id, tagOf(part), this.#keeper(part.type, name))
  }

  #item(path: string, op: AnyOperation, shown: ShownPath): Item {
    const parameters = pathParameters(op, shown)
    const item: Item = parameters.length > 0 ? { parameters } : {}
    this.items[path] = item
    return item
  }

  #mark(item: Item, op: AnyOperation): void {
    if (op.sudo) item[`${this.#extension}-sudo`] = true
    if (op.unauthenticated) item[`${this.#extension}-unauthenticated`] = true
    if (op.exists) item[`${this.#extension}-createSupported`] = true
  }

  /** Returns an id such as `transit-random-with-source`, which is unique in the document. */
  #id(mount: string, name: string, { path, fields }: AnyOperation, { captures }: ShownPath): string {
    const optional = captures.filter((capture) => path.includes(`(/:${capture})`) || fields[capture].required === false)
    const words = [...mount.split(/\W+/), kebab(name), ...optional.flatMap((capture) => ['with', kebab(capture)])]
    return unique(words.filter(Boolean).join('-'), this.#ids)
  }

  /** Names a schema after its engine instead of its mount, so that several mounts share it. */
  #keeper(type: string, name: string): KeepSchema {
    return (suffix, op, { path }, schema) => {
      const names = this.#names.get(op) ?? new Map<string, string>()
      this.#names.set(op, names)
      // A request schema does not contain the parameters that are in the path. So an operation with optional path segments has several
      // request schemas, one for each path, but only one response schema.
      const which = suffix === 'Request' ? `${suffix} ${path}` : suffix
      const known = names.get(which)
      const kept = known ?? unique(`${pascal(type)}${pascal(name)}${suffix}`, this.#kept)
      names.set(which, kept)
      this.schemas[kept] ??= schema
      return { $ref: `#/components/schemas/${kept}` }
    }
  }
}

/** Combines the operations of a path that supports both GET and LIST. */
function merged(first: Json, second: AnyOperation, shown: ShownPath, lists: boolean): Json {
  const other = operationObject(second, shown, '', '', (_, __, ___, schema) => schema)
  const isFlag = ({ name }: { name?: unknown }): boolean => name === 'list'
  const parameters = [first, other].flatMap(({ parameters = [] }) => parameters as readonly Json[]).filter((one) => !isFlag(one))
  const named = new Map(parameters.map((parameter) => [parameter['name'], { ...parameter, required: false }]))
  const [read, list] = lists ? [first['summary'], second.summary] : [second.summary, first['summary']]
  return {
    ...first,
    summary: read,
    description: `${read} With \`list=true\`: ${list}`,
    parameters: [listFlag(false), ...named.values()],
  }
}

function tagOf({ mount, type }: DocumentedMount): string {
  if (type === 'system' || type === 'identity') return type
  return mount.startsWith('auth/') ? 'auth' : 'secrets'
}

const kebab = (name: string): string => name.replaceAll(/[._]/g, '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const pascal = (name: string): string =>
  name
    .replaceAll(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^./, (first) => first.toUpperCase())

function unique(wanted: string, taken: Set<string>): string {
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
  taken.add(name)
  return name
}
