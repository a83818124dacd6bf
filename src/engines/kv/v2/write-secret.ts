import { invalid, notFound } from '../../../core/base/errors.ts'
import { runToEnd, SLICE_BYTES } from '../../../core/base/steps.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { checkWritable } from '../../../core/field/free-path.ts'
import { patchText } from '../../../core/json/merge-patch.ts'
import { addSecretVersion, checkCas } from './add-version.ts'
import { KV_SECRET_PATH, OPTIONS, requiredByOperation } from './fields.ts'
import { configOf, dataOf, findKey, versionInfoOf } from './key.ts'
import { showVersion, VERSION_RESULT, versionGone } from './show.ts'
import { isGone } from './versions.ts'

const noData = () => invalid('data: no data provided')

/**
 * @throws KernelError 400 if the path is empty, is invalid, or ends with a slash, if `data` is missing, if `options.cas` is not the number
 *   of the latest version, or if `options.cas` is missing and the secret or the mount requires it.
 * @throws KernelError 413 if the value is too large for the storage.
 * @example
 * const { version } = await kernel.kv2.at('app/').writeSecret({
 *   path: 'db',
 *   data: { user: 'app', password: 'second' },
 *   // Write only if version 1 is the current version.
 *   options: { cas: 1 },
 * })
 */
export const writeSecret = operation({
  kind: 'write',
  verb: 'POST',
  path: '/data/+path',
  forwardable: true,
  summary: 'Writes a new version of a secret.',
  fields: { path: KV_SECRET_PATH, data: requiredByOperation(f.document('The secret: an object.')), options: OPTIONS },
  returns: VERSION_RESULT,
  exists: (tx, { path = '' }) => findKey(tx, path) !== undefined,
  run: (tx, { path, data, options }) => {
    checkWritable(path, 'path')
    if (data === undefined) throw noData()
    const found = findKey(tx, path)
    checkCas(found, configOf(tx), options.cas)
    const written = addSecretVersion(tx, path, found, data)
    tx.event('secret.written', { path, version: written.version })
    return written
  },
})

/**
 * @throws KernelError 400 if the path is empty, is invalid, or ends with a slash, if `data` is missing, if `options.cas` is not the number
 *   of the latest version, or if `options.cas` is missing and the secret or the mount requires it.
 * @throws KernelError 404 if the secret does not exist, or if the latest version of the secret was deleted or destroyed.
 * @throws KernelError 413 if the value is too large for the storage.
 * @example
 * const { version } = await kernel.kv2.at('app/').patchSecret({ path: 'db', data: { password: 'second' } })
 */
export const patchSecret = operation({
  kind: 'write',
  verb: 'PATCH',
  path: '/data/+path',
  forwardable: true,
  summary: 'Writes a new version of a secret: the latest version, changed by a merge patch (RFC 7396).',
  fields: {
    path: KV_SECRET_PATH,
    data: requiredByOperation(
      f.document(
        'The changes: null removes a member, an object is merged into the existing object, and any other value replaces the existing value.',
      ),
    ),
    options: OPTIONS,
  },
  returns: VERSION_RESULT,
  run: (tx, { path, data, options }) => {
    checkWritable(path, 'path')
    if (data === undefined) throw noData()
    const found = findKey(tx, path)
    if (!found) throw notFound('path: there is no version to patch')
    const { key } = found
    checkCas(found, configOf(tx), options.cas)
    const info = key.current === 0 ? undefined : versionInfoOf(tx, found, key.current)
    if (!info) throw notFound('path: there is no version to patch')
    const version = showVersion(key, key.current, info)
    if (isGone(info, tx.now)) throw versionGone(version, { ...version })
    const text = dataOf(tx, found, key.current)
    if (text === undefined) throw notFound('path: there is no version to patch')
    const isShort = text.length + data.length <= SLICE_BYTES
    const merged = isShort ? runToEnd(patchText(text, data)) : tx.steps('merge', () => patchText(text, data), 'attempt')
    const patched = addSecretVersion(tx, path, found, merged)
    tx.event('secret.patched', { path, version: patched.version })
    return patched
  },
})
