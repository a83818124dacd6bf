/** Token revocation: auth/token/revoke, revoke-self, revoke-accessor, revoke-orphan, as in Vault. */
import { tokenOfAccessor } from '../../core/access/token/by-accessor.ts'
import { findTokenRecord } from '../../core/access/token/find-token.ts'
import { revokeAlone, revokeStoredToken as revokeTree } from '../../core/access/token/revoke.ts'
import { invalid, notFound } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { callingToken } from './calling-token.ts'

const NAMED = { token: f.text('The token.').needed('') }

/** Returns the id of a token; undefined if it does not exist. @throws KernelError 400 for a batch token, which cannot be revoked. */
function idOf(tx: Tx, text: string): string | undefined {
  if (text === '') throw invalid('token: missing token ID')
  const found = findTokenRecord(tx, text)
  if (found?.token.type === 'batch') throw invalid('batch tokens cannot be revoked')
  return found?.id
}

/** @throws KernelError 400 if no token is given, or if the token is a batch token. */
export const revokeToken = operation({
  kind: 'write',
  verb: 'POST',
  path: '/revoke',
  runsInNamespaceOf: 'named',
  summary:
    'Immediately revokes a token, its child tokens at every level, and all their leases. Succeeds even if the token does not exist.',
  fields: NAMED,
  returns: {},
  run: (tx, { token }) => {
    const id = idOf(tx, token)
    if (id !== undefined) revokeTree(tx, id)
    return undefined
  },
})

/** @throws KernelError 400 if the caller has no token, or if the token is a batch token. Call this method on a view made by `as(token)`. */
export const revokeSelf = operation({
  kind: 'write',
  verb: 'POST',
  path: '/revoke-self',
  runsInNamespaceOf: 'caller',
  summary: 'Immediately revokes the calling token, its child tokens at every level, and all their leases.',
  fields: {},
  returns: {},
  run: (tx) => {
    const { id, token } = callingToken(tx)
    if (token.type === 'batch') throw invalid('batch tokens cannot be revoked')
    revokeTree(tx, id)
    return undefined
  },
})

/**
 * @throws KernelError 400 if `accessor` is missing. If the accessor is unknown, the call succeeds and the response contains a warning.
 * @example
 * await kernel.tokens.revokeAccessor({ accessor })
 */
export const revokeAccessor = operation({
  kind: 'write',
  verb: 'POST',
  path: '/revoke-accessor',
  summary: 'Immediately revokes the token with this accessor, its child tokens at every level, and all their leases.',
  fields: { accessor: f.text('The accessor.').needed('') },
  returns: {},
  run: (tx, { accessor }) => {
    if (accessor === '') throw invalid('accessor: missing accessor')
    const found = tokenOfAccessor(tx, accessor)
    if (found) revokeTree(tx, found.id)
    else tx.warn('No token found with this accessor')
    return undefined
  },
})

/** @throws KernelError 400 if the token does not exist, if the caller does not have `sudo`, or if the token is a batch token. */
export const revokeOrphan = operation({
  kind: 'write',
  verb: 'POST',
  path: '/revoke-orphan',
  runsInNamespaceOf: 'named',
  summary: 'Immediately revokes a token, but not its child tokens, which become orphans. Requires sudo.',
  fields: NAMED,
  returns: {},
  run: (tx, { token }) => {
    const id = idOf(tx, token)
    if (!tx.call.sudo) throw invalid('root or sudo privileges required to revoke and orphan')
    if (id === undefined || !revokeAlone(tx, id)) throw notFound('token: token to revoke not found', 400)
    return undefined
  },
})
