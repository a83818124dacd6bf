/** GET sys/mounts, sys/auth and the paths below them, as in Vault. */
import { notFound } from '../../core/base/errors.ts'
import { AUTH_MOUNT_PREFIX, isAuth } from '../../core/contract/mount-record.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { loadAllInGroups } from '../../core/transaction/load-all.ts'
import { authPath, secretPath, shown } from './mount-path.ts'
import { MOUNT_RESULT, type MountInfo, mountAt, mountOnWire, showMount } from './mount-record.ts'

export const SECRET_PATH = f.freeName('The path of the mount, such as `payments/`.').ignoring('slashes')

export const AUTH_PATH = f.freeName('The path of the mount below `auth/`, such as `cluster/`.').ignoring('slashes')

type MountsByPath = Readonly<Record<string, MountInfo>>

const LIST_RESULT = { mounts: f.json<MountsByPath>('The mounts by path, with a trailing slash.') }

/** The estimated cost of showing a mount. */
const SHOW_MICROSECONDS = 3

/** The mounts of the namespace; auth methods without `auth/`. */
function list(tx: Tx, kind: 'secret' | 'auth'): { readonly mounts: MountsByPath } {
  const mounts = TOPOLOGY.of(tx).mounts.of(tx.call.namespace, kind)
  const from = kind === 'auth' ? AUTH_MOUNT_PREFIX.length : 0
  const show = ({ record }: (typeof mounts)[number]) => [record.path.slice(from), showMount(record)] as const
  return { mounts: Object.fromEntries(loadAllInGroups(tx, 'mounts', mounts, show, SHOW_MICROSECONDS)) }
}

const onWire = (mounts: MountsByPath): MountsByPath =>
  Object.fromEntries(Object.entries(mounts).map(([path, info]) => [path, mountOnWire(info)]))

/** @throws no errors of its own. */
export const listMounts = operation({
  kind: 'read',
  verb: 'GET',
  path: '/mounts',
  summary: 'Lists the secrets engines of the namespace.',
  fields: {},
  returns: LIST_RESULT,
  wire: ({ mounts }) => ({ data: onWire(mounts), repeated: true }),
  run: (tx) => list(tx, 'secret'),
})

/** @throws no errors of its own. */
export const listAuthMethods = operation({
  kind: 'read',
  verb: 'GET',
  path: '/auth',
  summary: 'Lists the auth methods of the namespace.',
  fields: {},
  returns: LIST_RESULT,
  wire: ({ mounts }) => ({ data: onWire(mounts), repeated: true }),
  run: (tx) => list(tx, 'auth'),
})

/** @throws KernelError 400 if nothing is mounted at the path. */
export const readMount = operation({
  kind: 'read',
  verb: 'GET',
  path: '/mounts/+path',
  summary: 'Shows a secrets engine.',
  fields: { path: SECRET_PATH },
  returns: MOUNT_RESULT,
  wire: (info) => ({ data: mountOnWire(info), repeated: true }),
  run: (tx, input) => {
    const path = secretPath(input.path)
    const mount = mountAt(TOPOLOGY.of(tx), tx.call.namespace, path)
    if (!mount || isAuth(mount.record)) throw notFound(`path: No secret engine mount at ${shown(path)}`, 400)
    return showMount(mount.record)
  },
})

/** An auth method, by its path below `auth/`. */
function readAuth(tx: Tx, given: string): MountInfo {
  const path = authPath(given)
  const mount = mountAt(TOPOLOGY.of(tx), tx.call.namespace, path)
  if (!mount) throw notFound(`path: No auth engine at ${shown(path.slice(AUTH_MOUNT_PREFIX.length))}`, 400)
  return showMount(mount.record)
}

/** @throws KernelError 400 if nothing is mounted at the path. */
export const readAuthMethod = operation({
  kind: 'read',
  verb: 'GET',
  path: '/auth/+path',
  aliasPaths: ['/mounts/auth/+path'],
  sudo: true,
  summary: 'Shows an auth method.',
  fields: { path: AUTH_PATH },
  returns: MOUNT_RESULT,
  wire: (info) => ({ data: mountOnWire(info), repeated: true }),
  run: (tx, { path }) => readAuth(tx, path),
})

/** The path at which Vault and OpenBao show an auth method to callers without `sudo`. */
export const readAuthMethodAsMount = operation({
  kind: 'read',
  verb: 'GET',
  path: '/mounts/auth/+path',
  aliasPaths: ['/auth/+path'],
  summary: 'Shows an auth method.',
  fields: { path: AUTH_PATH },
  returns: MOUNT_RESULT,
  wire: (info) => ({ data: mountOnWire(info), repeated: true }),
  run: (tx, { path }) => readAuth(tx, path),
})
