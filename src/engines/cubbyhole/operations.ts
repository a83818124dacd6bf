/**
 * Entries by path, one JSON object each (source: behaviour of the originals).
 */

import { ancestors, isOrphan } from '../../core/access/token/ancestry.ts'
import { CUBBYHOLE, TOKEN } from '../../core/access/token/token.ts'
import { deniedError } from '../../core/access/token-authenticator.ts'
import { invalid } from '../../core/base/errors.ts'
import { folderPrefix } from '../../core/base/folder.ts'
import type { TokenCaller } from '../../core/contract/caller.ts'
import { parseJsonDocument } from '../../core/contract/document.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { checkWritable } from '../../core/field/free-path.ts'

const PATH = f.path('Where the entry lies, such as `app/db`; any characters.')
/** Earlier typed calls have stored entries under texts that are not valid paths; typed calls still find and delete those. */
const STORED_PATH = f.text('Where the entry lies.')

/** The address of the caller's entries. @throws KernelError 400 for a caller without a cubbyhole */
function entryId(tx: Tx, path: string): string {
  const { caller } = tx.call
  if (caller.kind !== 'token' || caller.token.type !== 'service')
    throw invalid("cubbyhole operations are only supported by 'service' type tokens")
  return `${caller.token.cubbyhole}/${path}`
}

/** A token on its last use is spent already and may still finish; one revoked meanwhile may not. */
function isStillValid(tx: Tx, { id }: TokenCaller): boolean {
  const token = tx.get(TOKEN, id)
  return token?.state === 'live' && (isOrphan(tx, token) || ancestors(tx, token.parent) !== undefined)
}

export const readEntry = operation({
  kind: 'read',
  verb: 'GET',
  path: '/*path',
  summary: 'Reads an entry of the own cubbyhole.',
  fields: { path: PATH },
  returns: { data: f.json<Readonly<Record<string, unknown>>>('The entry. Integers beyond 2^53 are bigints.') },
  wire: ({ data }) => ({ data }),
  run: (tx, { path }) => {
    const text = tx.get(CUBBYHOLE, entryId(tx, path))
    if (text === undefined) return undefined
    if (path === 'response') tx.warn('Reading from "cubbyhole/response" is deprecated. Please use sys/wrapping/unwrap instead.')
    return { data: parseJsonDocument(tx, text, 'entry') }
  },
})

export const writeEntry = operation({
  kind: 'write',
  verb: 'POST',
  path: '/*path',
  summary: 'Stores an entry in the own cubbyhole, in the place of what was there.',
  fields: { path: PATH, data: f.document('The entry: an object that is not empty.') },
  body: 'data',
  returns: {},
  exists: (tx, { path = '' }) => tx.get(CUBBYHOLE, entryId(tx, path)) !== undefined,
  run: (tx, { path, data }) => {
    const place = entryId(tx, path)
    checkWritable(path, 'path')
    if (data === '{}') throw invalid('data: missing data fields')
    // The commit requires that the token and all its ancestors are valid: a token revoked meanwhile leaves no entry.
    const { caller } = tx.call
    if (caller.kind !== 'token' || !isStillValid(tx, caller)) throw deniedError()
    tx.put(CUBBYHOLE, place, data)
    return undefined
  },
})

export const deleteEntry = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/*path',
  summary: 'Deletes an entry of the own cubbyhole; what lies below its path stays.',
  fields: { path: STORED_PATH },
  returns: {},
  run: (tx, { path }) => {
    const place = entryId(tx, path)
    if (path !== '') tx.delete(CUBBYHOLE, place)
    return undefined
  },
})

export const listEntries = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/*path',
  summary: 'Lists the names at a path of the own cubbyhole in byte order; folders end with a slash.',
  fields: { path: f.text('The folder; empty for all of it.').default('') },
  returns: { keys: f.json<readonly string[]>('Names.', { type: 'array' }) },
  run: (tx, { path }) => ({ keys: tx.list(CUBBYHOLE, { prefix: entryId(tx, folderPrefix(path)), delimiter: '/' }) }),
})
