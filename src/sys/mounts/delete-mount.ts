/** DELETE sys/mounts/:path and sys/auth/:path, as in Vault. */
import { retireMount } from '../../core/access/lease/retire-mount.ts'
import { invalid, KernelError } from '../../core/base/errors.ts'
import { isAuth } from '../../core/contract/mount-record.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { guardedTables } from '../../core/mount/guarded-tables.ts'
import { authPath, secretPath } from './mount-path.ts'
import { mountAt, mountEvent } from './mount-record.ts'
import { AUTH_PATH, SECRET_PATH } from './read-mounts.ts'

/**
 * Unmounts a mount. After this commit, requests cannot reach the mount, nothing can be written to it, and leases below it are refused.
 * Background work deletes its records. They are stored under a UUID that no other mount ever gets, so nothing can find them.
 */
function remove(tx: Tx, path: string, kind: 'secret' | 'auth'): undefined {
  // The path ends like the path for tuning a mount, so no mount can have it.
  if (path.endsWith('/tune/'))
    throw new KernelError('ERR_UNSUPPORTED_OPERATION', '1 error occurred:\n\t* unsupported operation\n\n')
  const mount = mountAt(guardedTables(tx), tx.call.namespace, path)
  if (!mount) return undefined
  const { record, engine } = mount
  if (engine.mounts === 'system') throw invalid(`path: cannot unmount "${path}"`)
  // `sys/mounts/:path` must not disable an auth method, because `sys/auth/:path` requires more capabilities.
  if (isAuth(record) !== (kind === 'auth')) return undefined
  retireMount(tx, record, engine)
  tx.event('mount.disabled', mountEvent(record))
  return undefined
}

/**
 * @throws KernelError 400 if the mount is one that every namespace has, such as `sys/`.
 * @throws KernelError 405 if the path ends with `/tune`, because that path changes settings of a mount.
 */
export const deleteMount = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/mounts/+path',
  forwardable: true,
  summary: 'Unmounts a secrets engine and deletes all its data. Succeeds even if the mount does not exist.',
  fields: { path: SECRET_PATH },
  returns: {},
  run: (tx, { path }) => remove(tx, secretPath(path), 'secret'),
})

/**
 * @throws KernelError 400 if the auth method is the token method.
 * @throws KernelError 405 if the path ends with `/tune`, because that path changes settings of a mount.
 */
export const deleteAuthMethod = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/auth/+path',
  forwardable: true,
  sudo: true,
  summary:
    'Disables an auth method, deletes all its data and makes its tokens invalid. Succeeds even if the auth method does not exist.',
  fields: { path: AUTH_PATH },
  returns: {},
  run: (tx, { path }) => remove(tx, authPath(path), 'auth'),
})
