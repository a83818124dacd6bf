/** Resolves request paths to mounts, namespaces and operations. */
import { KernelError } from '../base/errors.ts'
import { type NamespaceRecord, ROOT_NAMESPACE } from '../contract/namespace.ts'
import { parsePath, type RequestPath } from '../exchange/path.ts'
import type { Topology } from '../mount/topology.ts'
import { HELP } from '../transaction/help-verb.ts'
import type { HelpRoutes, Route } from '../transaction/route-table.ts'
import type { OperationPath } from './authorized-path.ts'

/** The path of a request, decoded, with everything that depends only on the path and the verb. */
export interface ResolvedPath extends OperationPath {
  /** The error for callers that were admitted, if there is no operation. */
  readonly refusal: KernelError | undefined
  /** Whether the path can be requested without a token. */
  readonly unauthenticated: boolean
}

const MAX_CACHED_PATHS = 1000
const MAX_CACHED_PATH_CHARACTERS = 256

/**
 * Resolves request paths and caches the results. Applications request the same few paths again and again, and the result depends only on
 * mounts and namespaces.
 */
export class PathResolver {
  readonly #topology: Topology
  readonly #help: HelpRoutes
  readonly #byVerb = new Map<string, Map<string, ResolvedPath>>()
  #current: object | undefined

  constructor(topology: Topology, help: HelpRoutes) {
    this.#topology = topology
    this.#help = help
  }

  /**
   * @param path The path as it was sent.
   * @param header The namespace header as it was sent. `path` is relative to this namespace.
   * @throws KernelError 404 if the path is outside of the API or the namespace does not exist, 400 if the path is malformed. Does not throw
   * if nothing is mounted at the path.
   */
  find(verb: string, path: string, header: string | undefined): ResolvedPath {
    if (this.#topology.current !== this.#current) {
      this.#byVerb.clear()
      this.#current = this.#topology.current
    }
    const text = header ? `${header}\n${path}` : path
    const known = this.#byVerb.get(verb)?.get(text)
    if (known) return known
    const parsed = parsePath(path)
    const from = header ? this.#topology.namespaces.named(header) : ROOT_NAMESPACE
    const target = this.#lead(verb, from, parsed)
    if (text.length <= MAX_CACHED_PATH_CHARACTERS) this.#remember(verb, text, target)
    return target
  }

  /** Resolves the path in another namespace, for operations that run in the namespace of a token or lease. */
  in(namespace: NamespaceRecord, verb: string, { path, trailingSlash }: OperationPath): ResolvedPath {
    return this.#to(verb, namespace, path, trailingSlash)
  }

  #lead(verb: string, from: NamespaceRecord, { text, trailingSlash }: RequestPath): ResolvedPath {
    const namespace = this.#topology.namespaces.innermost(from, `${text}/`)
    return this.#to(verb, namespace, text.slice(namespace.path.length - from.path.length), trailingSlash)
  }

  #to(verb: string, namespace: NamespaceRecord, path: string, trailingSlash: boolean): ResolvedPath {
    this.#topology.checkServed(namespace)
    const mount = this.#topology.mounts.route(namespace, path)
    if (!mount) return { ...NO_ROUTE, ...unmounted(path), namespace, path, trailingSlash, mount }
    const sent = path.slice(mount.record.path.length)
    const below = mount.routes.withCanonicalSegments(sent)
    if (below !== sent) path = mount.record.path + below
    const segments = below.split('/')
    // The path of a LIST always ends in a slash, so the sent slash is ignored. For any other verb, a path with a slash at the end is
    // another path than the path without the slash.
    if (trailingSlash && verb !== 'LIST' && verb !== HELP && below !== '') segments.push('')
    const route = verb === HELP ? this.#help.route(mount.engine.operations, segments) : mount.routes.match(verb, segments)
    return { ...NO_ROUTE, ...route, namespace, path, trailingSlash, mount }
  }

  #remember(verb: string, text: string, target: ResolvedPath): void {
    const ofVerb = this.#byVerb.get(verb) ?? new Map<string, ResolvedPath>()
    this.#byVerb.set(verb, ofVerb)
    if (ofVerb.size >= MAX_CACHED_PATHS) ofVerb.clear()
    ofVerb.set(text, target)
  }
}

/** Gives all resolved paths the same members, because every request reads them. */
const NO_ROUTE = { operation: undefined, refusal: undefined }

const unmounted = (path: string): Route => ({
  refusal: new KernelError('ERR_UNSUPPORTED_PATH', `no handler for route "${path.slice(0, 200)}". route entry not found.`),
  captures: {},
  unauthenticated: false,
})
