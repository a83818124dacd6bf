import { operation } from '../../../core/contract/operation.ts'
import { SECRET } from '../v1/secret.ts'
import { KV_SECRET_PATH } from './fields.ts'
import { findKey } from './key.ts'
import { KEY } from './key-record.ts'
import { METADATA_RESULT, showSecretKey } from './show.ts'
import { sweepAll } from './sweep.ts'

/**
 * @throws KernelError 400 if the path is invalid.
 * @throws KernelError 404 if the secret does not exist.
 */
export const readMetadata = operation({
  kind: 'read',
  verb: 'GET',
  path: '/metadata/+path',
  summary: 'Shows the settings of a secret and the state of its versions.',
  fields: { path: KV_SECRET_PATH },
  returns: METADATA_RESULT,
  run: (tx, { path }) => {
    const found = findKey(tx, path)
    return found && showSecretKey(tx, found)
  },
})

/** @throws no errors of its own. */
export const deleteMetadata = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/metadata/+path',
  forwardable: true,
  summary: 'Deletes a secret with all its versions and settings permanently.',
  fields: { path: KV_SECRET_PATH },
  returns: {},
  run: (tx, { path }) => {
    const found = findKey(tx, path)
    if (!found) return undefined
    tx.delete(KEY, path)
    if (tx.call.mount.upgraded !== undefined) tx.delete(SECRET, path)
    if (found.old === undefined) sweepAll(tx, found.key)
    tx.event('secret.metadata_deleted', { path })
    tx.secretChanged(path)
    return undefined
  },
})
