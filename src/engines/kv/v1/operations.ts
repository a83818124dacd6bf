/** Secrets by path: each is one JSON object, replaced as a whole (spec document 1; source: behaviour of the originals). */
import { invalid } from '../../../core/base/errors.ts'
import { folderPrefix } from '../../../core/base/folder.ts'
import { parseJsonDocument } from '../../../core/contract/document.ts'
import { effectiveTtl } from '../../../core/contract/mount-record.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { checkWritable } from '../../../core/field/free-path.ts'
import { leaseHint } from './lease-hint.ts'
import { SECRET } from './secret.ts'

const PATH = f.path('Where the secret lies below the mount, such as `app/db`; any characters.')

/** Earlier typed calls have stored secrets under texts that are not valid paths; typed calls still find and delete those. */
const STORED_PATH = f.text('Where the secret lies below the mount.')

export const readSecret = operation({
  kind: 'read',
  verb: 'GET',
  path: '/*path',
  summary: 'Reads a secret.',
  fields: { path: PATH },
  returns: {
    data: f.json<Readonly<Record<string, unknown>>>('The secret. Integers beyond 2^53 are bigints.'),
    lease_duration: f.int('Seconds a reader may keep it: its member `ttl` or `lease`, else the default of the mount.'),
  },
  wire: ({ data, lease_duration }) => ({ data, lease_duration }),
  run: (tx, { path }) => {
    const text = tx.get(SECRET, path)
    if (text === undefined) return undefined
    const data = parseJsonDocument(tx, text, 'secret')
    return { data, lease_duration: leaseHint(data, effectiveTtl(tx.call.mount).fallback) }
  },
})

export const writeSecret = operation({
  kind: 'write',
  verb: 'POST',
  path: '/*path',
  forwardable: true,
  summary: 'Stores a secret, in the place of what was there.',
  fields: { path: PATH, data: f.document('The secret: an object that is not empty.') },
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

export const deleteSecret = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/*path',
  forwardable: true,
  summary: 'Deletes a secret; what lies below its path stays.',
  fields: { path: STORED_PATH },
  returns: {},
  run: (tx, { path }) => {
    if (path === '') return undefined
    tx.delete(SECRET, path)
    tx.event('secret.deleted', { path })
    return undefined
  },
})

export const listSecrets = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/*path',
  summary: 'Lists the names at a path in byte order; folders end with a slash.',
  fields: { path: f.text('The folder; empty for all of the mount.').default('') },
  returns: { keys: f.json<readonly string[]>('Names.', { type: 'array' }) },
  run: (tx, { path }) => ({ keys: tx.list(SECRET, { prefix: folderPrefix(path), delimiter: '/' }) }),
})
