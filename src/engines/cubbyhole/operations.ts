/** Operations on entries. An entry is one JSON object. */

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

const PATH = f.path('The path of the entry, such as `app/db`. It can contain any characters.')

/** Returns the record id of an entry in the caller's cubbyhole. @throws KernelError 400 if the caller has no cubbyhole. */
function entryId(tx: Tx, path: string): string {
  const { caller } = tx.call
  if (caller.kind !== 'token' || caller.token.type !== 'service')
    throw invalid("cubbyhole operations are only supported by 'service' type tokens")
  return `${caller.token.cubbyhole}/${path}`
}

/**
 * Whether the token is valid for this request. A token whose last use is this request is valid; a token that was revoked during the request
 * is not.
 */
function isStillValid(tx: Tx, { id }: TokenCaller): boolean {
  const token = tx.get(TOKEN, id)
  return token?.state === 'live' && (isOrphan(tx, token) || ancestors(tx, token.parent) !== undefined)
}

/**
 * @throws KernelError 400 if the caller has no service token, or if the path is invalid.
 * @throws KernelError 404 if the path has no entry.
 */
export const readEntry = operation({
  kind: 'read',
  verb: 'GET',
  path: '/*path',
  summary: "Reads an entry of the token's cubbyhole.",
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

/**
 * @throws KernelError 400 if the caller has no service token, if the path is empty, is invalid, or ends with a slash, or if `data` is
 *   empty.
 * @throws KernelError 403 if the caller's token is revoked during the request.
 * @throws KernelError 413 if the value is too large for the storage.
 */
export const writeEntry = operation({
  kind: 'write',
  verb: 'POST',
  path: '/*path',
  summary: "Stores an entry in the token's cubbyhole and replaces an existing one.",
  fields: { path: PATH, data: f.document('The entry: an object with at least one member.') },
  body: 'data',
  returns: {},
  exists: (tx, { path = '' }) => tx.get(CUBBYHOLE, entryId(tx, path)) !== undefined,
  run: (tx, { path, data }) => {
    const id = entryId(tx, path)
    checkWritable(path, 'path')
    if (data === '{}') throw invalid('data: missing data fields')
    // Read the token and its ancestors, so that the commit fails if one of them is revoked concurrently. Otherwise the entry could be
    // stored after the revocation has deleted the cubbyhole.
    const { caller } = tx.call
    if (caller.kind !== 'token' || !isStillValid(tx, caller)) throw deniedError()
    tx.put(CUBBYHOLE, id, data)
    return undefined
  },
})

/** @throws KernelError 400 if the caller has no service token. */
export const deleteEntry = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/*path',
  summary: "Deletes an entry of the token's cubbyhole. Entries below its path are kept.",
  fields: { path: PATH },
  returns: {},
  run: (tx, { path }) => {
    const id = entryId(tx, path)
    if (path !== '') tx.delete(CUBBYHOLE, id)
    return undefined
  },
})

/** @throws KernelError 400 if the caller has no service token. */
export const listEntries = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/*path',
  summary: "Lists the names at a path of the token's cubbyhole in byte order. Folders end with a slash.",
  fields: { path: f.path('The folder; empty for the root.').default('') },
  returns: { keys: f.json<readonly string[]>('Names.', { type: 'array' }) },
  run: (tx, { path }) => ({ keys: tx.list(CUBBYHOLE, { prefix: entryId(tx, folderPrefix(path)), delimiter: '/' }) }),
})
