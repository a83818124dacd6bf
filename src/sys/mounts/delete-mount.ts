/** DELETE sys/mounts/:path and sys/auth/:path (source: behaviour of the originals). */
import { retireMount } from '../../core/access/lease/retire-mount.ts'
import { invalid, KernelError } from '../../core/base/errors.ts'
import { isAuth } from '../../core/contract/mount-record.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { tablesToDecideFrom } from '../../core/mount/decide.ts'
import { authPath, secretPath } from './mount-path.ts'
import { mountAt, mountEvent } from './mount-record.ts'
import { AUTH_PATH, SECRET_PATH } from './read-mounts.ts'

/**
 * One commit: after it the mount is unreachable, nothing can be written to it, and leases below it are refused. Its records are
 * cleared away in the background. Nothing finds them again, as they lie under a uuid that no other mount ever has.
 */
function remove(tx: Tx, path: string, kind: 'secret' | 'auth'): undefined {
  // No mount has such a path: it is the tuning of a mount, which cannot be deleted.
  if (path.endsWith('/tune/'))
    throw new KernelError('ERR_UNSUPPORTED_OPERATION', '1 error occurred:\n\t* unsupported operation\n\n')
  const mount = mountAt(tablesToDecideFrom(tx), tx.call.namespace, path)
  if (!mount) return undefined
  const { record, engine } = mount
  if (engine.mounts === 'system') throw invalid(`path: cannot unmount "${path}"`)
  // Auth methods have another path for this, which needs more capabilities.
  if (isAuth(record) !== (kind === 'auth')) return undefined
  retireMount(tx, record, engine)
  tx.event('mount.disabled', mountEvent(record))
  return undefined
}

export const deleteMount = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/mounts/+path',
  forwardable: true,
  summary: 'Unmounts a secrets engine and deletes all it kept. Whether it was there does not matter.',
  fields: { path: SECRET_PATH },
  returns: {},
  run: (tx, { path }) => remove(tx, secretPath(path), 'secret'),
})

export const deleteAuthMethod = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/auth/+path',
  forwardable: true,
  sudo: true,
  summary:
    'Disables an auth method and deletes all it kept; its tokens are good no longer. Whether it was there does not matter.',
  fields: { path: AUTH_PATH },
  returns: {},
  run: (tx, { path }) => remove(tx, authPath(path), 'auth'),
})
