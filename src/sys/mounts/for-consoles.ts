/** sys/internal/ui: what consoles and command lines ask before they do anything (source: behaviour of the originals). */

import { denied } from '../../core/auth/authority.ts'
import { AUTH, type Mount } from '../../core/mount/mount.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { isWithin } from '../../core/namespace/namespace.ts'
import { f } from '../../core/operation/fields.ts'
import { operation } from '../../core/operation/operation.ts'
import type { Tx } from '../../core/transaction/tx.ts'
import { MOUNT_RESULT, type MountInfo, showMount } from './mount-record.ts'

type Sketch = Pick<MountInfo, 'type' | 'description' | 'options'>
type Shown = Readonly<Record<string, MountInfo | Sketch>>

/**
 * Whether a caller may do anything at a full path or below it.
 * @throws KernelError 403 for a token of another namespace: it is good in its own and below.
 */
function reach(tx: Tx): (path: string) => boolean {
  const { caller, namespace } = tx.call
  if (caller.kind === 'anonymous') return () => false
  if (caller.kind === 'app') return () => true
  if (!isWithin(namespace, caller.namespace)) throw denied()
  return (path) => caller.acl.reaches(path)
}

/** Without a token, mounts that say so show what they are; with one, it and what the token reaches are shown in full. */
function visible(tx: Tx, kind: 'secret' | 'auth'): Shown {
  const { namespace, caller } = tx.call
  const reaches = reach(tx)
  const seen = ({ record }: Mount) => record.config.listing_visibility === 'unauth' || reaches(namespace.path + record.path)
  const show = ({ record }: Mount) => {
    const { type, description, options } = record
    return caller.kind === 'anonymous' ? { type, description, options } : showMount(record)
  }
  const from = kind === 'auth' ? AUTH.length : 0
  const mounts = TOPOLOGY.of(tx).mounts.of(namespace, kind).filter(seen)
  return Object.fromEntries(mounts.map((mount) => [mount.record.path.slice(from), show(mount)]))
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
  run: (tx) => ({ secret: visible(tx, 'secret'), auth: visible(tx, 'auth') }),
})

export const consoleMount = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/ui/mounts/+path',
  unauthenticated: true,
  readsToken: true,
  summary: 'Shows the mount that a path lies in, to whoever may do anything there.',
  fields: { path: f.text('Of a mount or of anything below it.') },
  returns: { ...MOUNT_RESULT, path: f.text('Of the mount, with a slash at the end.') },
  run: (tx, { path }) => {
    const { namespace } = tx.call
    const mount = TOPOLOGY.of(tx).mounts.route(namespace, path)
    // Alike where nothing is mounted, so that nobody finds mounts by asking.
    if (!mount || !reach(tx)(namespace.path + mount.record.path)) throw denied()
    return { ...showMount(mount.record), path: mount.record.path }
  },
})

export const consoleNamespaces = operation({
  kind: 'read',
  verb: 'GET',
  path: '/internal/ui/namespaces',
  unauthenticated: true,
  readsToken: true,
  summary: 'Lists the namespaces below this one that the caller may do anything in.',
  fields: {},
  returns: { keys: f.json<readonly string[]>('Paths from here, with a slash at the end, in byte order.', { type: 'array' }) },
  run: (tx) => {
    const { caller, namespace } = tx.call
    if (caller.kind === 'anonymous') throw denied()
    const reaches = reach(tx)
    const below = TOPOLOGY.of(tx).namespaces.below(namespace.path)
    return { keys: below.filter(({ path }) => reaches(path)).map(({ path }) => path.slice(namespace.path.length)) }
  },
})
