/** sys/internal/ui: the first requests that user interfaces and command-line clients send. */
import { deniedError } from '../../core/access/token-authenticator.ts'
import { AUTH_MOUNT_PREFIX } from '../../core/contract/mount-record.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import type { Mount } from '../../core/mount/mount.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { reached } from '../reached.ts'
import { MOUNT_RESULT, type MountInfo, showMount } from './mount-record.ts'

type Sketch = Pick<MountInfo, 'type' | 'description' | 'options'>

type Shown = Readonly<Record<string, MountInfo | Sketch>>

/**
 * Without a token, shows the mounts that are configured to be listed, in short form. With a token, shows these and all mounts that the
 * token can reach, in full.
 */
function visible(tx: Tx): Record<'secret' | 'auth', Shown> {
  const { namespace, caller } = tx.call
  const { mounts } = TOPOLOGY.of(tx)
  const pathOf = ({ record }: Mount) => namespace.path + record.path
  const reaches = reached(tx, mounts.of(namespace).map(pathOf))
  const seen = (mount: Mount) => mount.record.config.listing_visibility === 'unauth' || reaches.has(pathOf(mount))
  const show = ({ record }: Mount) => {
    const { type, description, options } = record
    return caller.kind === 'anonymous' ? { type, description, options } : showMount(record)
  }
  const of = (kind: 'secret' | 'auth'): Shown => {
    const from = kind === 'auth' ? AUTH_MOUNT_PREFIX.length : 0
    const shown = mounts.of(namespace, kind).filter(seen)
    return Object.fromEntries(shown.map((mount) => [mount.record.path.slice(from), show(mount)]))
  }
  return { secret: of('secret'), auth: of('auth') }
}

export const consoleMounts = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/ui/mounts',
  unauthenticated: true,
  readsToken: true,
  summary: 'Lists the mounts that the caller may see.',
  fields: {},
  returns: {
    secret: f.json<Shown>('Secrets engines by path.'),
    auth: f.json<Shown>('Auth methods by path, without `auth/`.'),
  },
  run: visible,
})

export const consoleMount = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/ui/mounts/+path',
  unauthenticated: true,
  readsToken: true,
  summary: 'Shows the mount to which a path belongs, if the caller has any capability at or below the path of the mount.',
  fields: { path: f.path('The path of a mount or of anything below it, possibly in a namespace below this one.') },
  returns: {
    ...MOUNT_RESULT,
    path: f.text(
      'The path of the mount with a trailing slash. If the mount is in a namespace below this one, the path begins with the path of that namespace.',
    ),
  },
  run: (tx, { path }) => {
    const topology = TOPOLOGY.of(tx)
    const { mounts, namespaces } = topology
    const { namespace: from } = tx.call
    // A path that begins with the path of a namespace belongs to that namespace, as in every request.
    const namespace = namespaces.innermost(from, `${path}/`)
    const mount = mounts.route(namespace, path.slice(namespace.path.length - from.path.length))
    topology.checkServed(namespace)
    // The response is the same if nothing is mounted at the path, so that callers cannot find out which mounts exist.
    if (!mount || reached(tx, [namespace.path + mount.record.path], namespace).size === 0) throw deniedError()
    return { ...showMount(mount.record), path: namespace.path.slice(from.path.length) + mount.record.path }
  },
})

export const consoleNamespaces = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/ui/namespaces',
  unauthenticated: true,
  readsToken: true,
  summary: 'Lists the namespaces below this one in which the caller has any capability.',
  fields: {},
  returns: {
    keys: f.json<readonly string[]>('Paths relative to this namespace, with a trailing slash, in byte order.', { type: 'array' }),
  },
  run: (tx) => {
    const { caller, namespace } = tx.call
    if (caller.kind === 'anonymous') throw deniedError()
    const below = TOPOLOGY.of(tx)
      .namespaces.below(namespace.path)
      .map(({ path }) => path)
    const reaches = reached(tx, below)
    return { keys: below.filter((path) => reaches.has(path)).map((path) => path.slice(namespace.path.length)) }
  },
})
