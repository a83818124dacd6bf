/** Operations of version 1. A secret is one JSON object, which a write replaces as a whole. */
import { parseDuration } from '../../../core/base/duration.ts'
import { invalid } from '../../../core/base/errors.ts'
import { folderPrefix } from '../../../core/base/folder.ts'
import { parseJsonDocument } from '../../../core/contract/document.ts'
import { effectiveTtl } from '../../../core/contract/mount-record.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { checkWritable } from '../../../core/field/free-path.ts'
import { memberOf } from '../../../core/json/wide-object.ts'
import { SECRET } from './secret.ts'

const PATH = f.path('The path of the secret below the mount, such as `app/db`; any characters.')

/**
 * Returns for how many seconds a reader may keep a secret, by Vault's rules: the member `ttl` of the secret, or else `lease`. If neither is
 * a duration, returns the fallback.
 */
function leaseHint(secret: object, fallback: number): number {
  const ttl = memberOf(secret, 'ttl')
  const hint = ttl === undefined ? memberOf(secret, 'lease') : ttl
  if (hint === undefined) return fallback
  if (hint === null) return 0
  if (typeof hint !== 'string' && typeof hint !== 'number') return fallback
  try {
    return parseDuration(hint, 'ttl')
  } catch {
    // The member is the user's data, so a value that is not a duration is not an error.
    return fallback
  }
}

/**
 * @throws KernelError 400 if the path is invalid.
 * @throws KernelError 404 if the path has no secret.
 * @example
 * const { data } = await kernel.kv.readSecret({ path: 'app/db' })
 */
export const readSecret = operation({
  kind: 'read',
  verb: 'GET',
  path: '/*path',
  summary: 'Reads a secret.',
  fields: { path: PATH },
  returns: {
    data: f.json<Readonly<Record<string, unknown>>>('The secret. Integers beyond 2^53 are bigints.'),
    lease_duration: f.int(
      'Seconds for which a reader may keep the secret: its member `ttl` or `lease`, or else the default of the mount.',
    ),
  },
  wire: ({ data, lease_duration }) => ({ data, lease_duration }),
  run: (tx, { path }) => {
    const text = tx.get(SECRET, path)
    if (text === undefined) return undefined
    const data = parseJsonDocument(tx, text, 'secret')
    return { data, lease_duration: leaseHint(data, effectiveTtl(tx.call.mount).fallback) }
  },
})

/**
 * @throws KernelError 400 if the path is empty, is invalid, or ends with a slash, or if `data` is empty.
 * @throws KernelError 413 if the value is too large for the storage.
 * @example
 * await kernel.kv.writeSecret({ path: 'app/db', data: { user: 'app', password: 's3cret' } })
 */
export const writeSecret = operation({
  kind: 'write',
  verb: 'POST',
  path: '/*path',
  forwardable: true,
  summary: 'Stores a secret and replaces an existing one.',
  fields: { path: PATH, data: f.document('The secret: an object with at least one member.') },
  body: 'data',
  returns: {},
  exists: (tx, { path = '' }) => tx.get(SECRET, path) !== undefined,
  run: (tx, { path, data }) => {
    checkWritable(path, 'path')
    if (data === '{}') throw invalid('data: missing data fields')
    tx.put(SECRET, path, data)
    tx.event('secret.written', { path })
    return undefined
  },
})

/** @throws no errors of its own. */
export const deleteSecret = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/*path',
  forwardable: true,
  summary: 'Deletes a secret. Secrets below its path are kept.',
  fields: { path: PATH },
  returns: {},
  run: (tx, { path }) => {
    if (path === '') return undefined
    tx.delete(SECRET, path)
    tx.event('secret.deleted', { path })
    return undefined
  },
})

/** @throws no errors of its own. */
export const listSecrets = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/*path',
  summary: 'Lists the names at a path in byte order. Folders end with a slash.',
  fields: { path: f.path('The folder; empty for the root of the mount.').default('') },
  returns: { keys: f.json<readonly string[]>('Names.', { type: 'array' }) },
  run: (tx, { path }) => ({ keys: tx.list(SECRET, { prefix: folderPrefix(path), delimiter: '/' }) }),
})
