/** Computes the full canonical path that a request is authorized for, and the other paths of the same record. */
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'
import { PathSpelling, type SpelledPath } from '../contract/path-spelling.ts'
import { PathPattern } from '../field/path-pattern.ts'
import type { Mount } from '../mount/mount.ts'
import type { Topology } from '../mount/topology.ts'
import type { AclPath, OtherPath } from '../policy/index.ts'

/** The path of a request, and the operation that it leads to. */
export interface OperationPath {
  readonly namespace: NamespaceRecord
  /** The path relative to the namespace. It has no slash at the end, unless the slash belongs to a capture. */
  readonly path: string
  readonly trailingSlash: boolean
  /** Undefined if nothing is mounted at the path. The caller is authorized even then, before the error is returned. */
  readonly mount: Mount | undefined
  readonly operation: AnyOperation | undefined
  readonly captures: Readonly<Record<string, string>>
}

/**
 * Returns the path that policies decide about, and the other paths of the same record.
 * @param list Whether the request is a list. The path of a list ends in a slash.
 */
export function authorizedPath(requested: OperationPath, list: boolean): AclPath {
  const { namespace, path, trailingSlash, mount, operation, captures } = requested
  const sent = namespace.path + path
  if (operation && mount) {
    const isIgnored = trailingSlash && !list && isSlashIgnored(operation, requested, mount)
    const paths = spelledPaths(operation, captures, mount, list)
    if (paths) return full(namespace.path + mount.record.path, paths, list, isIgnored)
    if (isIgnored) return { path: sent, others: [withSlash(sent)] }
  }
  return { path: (trailingSlash || list) && !(list && sent.endsWith('/')) ? `${sent}/` : sent }
}

/** The canonical path below the mount, followed by the other paths of the record. Undefined if the operation's path has only one form. */
function spelledPaths(
  operation: AnyOperation,
  captures: OperationPath['captures'],
  { routes }: Mount,
  list: boolean,
): readonly SpelledPath[] | undefined {
  const paths = PathSpelling.of(operation)?.pathsOf(captures, list)
  const [own] = paths ?? []
  if (!own) return undefined
  // A name in a typed call may form a path that belongs to another operation, such as a mount called `auth/x`. The request is then
  // authorized for the paths of that operation.
  const route = routes.match(operation.verb, own.path.split('/'))
  if (!route.operation || route.operation === operation) return paths
  return PathSpelling.of(route.operation)?.pathsOf(route.captures, list) ?? paths
}

/**
 * @param mountPath The path of the mount, with its namespace.
 * @param isIgnored Whether the path was sent with a slash at the end that the route ignores.
 */
function full(mountPath: string, paths: readonly SpelledPath[], list: boolean, isIgnored: boolean): AclPath {
  const slashes = mountPath.split('/').length - 1
  const [own, ...others] = paths.map(({ path, foldedAfter, slash, alias }) => ({
    path: list && !path.endsWith('/') ? `${mountPath}${path}/` : mountPath + path,
    foldedAfter: foldedAfter === undefined ? undefined : slashes + foldedAfter,
    slash,
    alias,
  })) as [OtherPath, ...OtherPath[]]
  return { path: own.path, foldedAfter: own.foldedAfter, others: isIgnored ? [...others, withSlash(own.path)] : others }
}

/** Whether the operation's route ignored the slash at the end of the sent path. A route does so if the path can also be listed. */
function isSlashIgnored({ path: template }: AnyOperation, { path, captures }: OperationPath, { record }: Mount): boolean {
  const filled = PathPattern.of(template).fill(captures, {})
  return filled !== '' && record.path + filled === path
}

const withSlash = (path: string): OtherPath => ({ path: `${path}/`, slash: true })

const VERBS = ['GET', 'POST', 'DELETE', 'LIST', 'PATCH'] as const

/** The verbs to try for a path without a verb. If the path ends in a slash, LIST is tried first. */
const verbsFor = (trailingSlash: boolean): readonly string[] => (trailingSlash ? ['LIST', ...VERBS] : VERBS)

/**
 * Like {@link authorizedPath}, but for a path that is a parameter, for example of `sys/capabilities`.
 * @param text The path relative to `from`. As in a request, it may begin with a namespace below `from`.
 * @param verb The verb, or undefined if the path is examined for all operations.
 * @throws CodeNotLoadedError if code of the engine at the path must be loaded first
 */
export function authorizedPathAt(
  { namespaces, mounts }: Topology,
  from: NamespaceRecord,
  text: string,
  verb: string | undefined,
): AclPath {
  const trailingSlash = text.endsWith('/')
  const bare = trailingSlash ? text.slice(0, -1) : text
  const list = verb === undefined ? trailingSlash : verb === 'LIST'
  const namespace = namespaces.innermost(from, `${bare}/`)
  const sent = bare.slice(namespace.path.length - from.path.length)
  const mount = mounts.route(namespace, sent)
  const sentBelow = mount ? sent.slice(mount.record.path.length) : ''
  mount?.assertLoaded(sentBelow)
  const below = mount ? mount.routes.withCanonicalSegments(sentBelow) : ''
  const path = mount && below !== '' ? mount.record.path + below : sent
  if (mount?.routes.hasSpellings && below !== '') {
    const segments = below.split('/')
    const slashed = trailingSlash ? [...segments, ''] : segments
    for (const asked of verb === undefined ? verbsFor(trailingSlash) : [verb]) {
      const { operation, captures } = mount.routes.match(asked, asked === 'LIST' ? segments : slashed)
      if (operation && (verb !== undefined || PathSpelling.of(operation)))
        return authorizedPath({ namespace, path, trailingSlash, mount, operation, captures }, asked === 'LIST')
    }
  }
  return { path: from.path + (list && !trailingSlash ? `${text}/` : text) }
}
