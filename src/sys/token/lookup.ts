/** Token lookups: auth/token/lookup, lookup-self, lookup-accessor, as in Vault. */
import { tokenOfAccessor } from '../../core/access/token/by-accessor.ts'
import { findValidToken } from '../../core/access/token/find-token.ts'
import { invalid, KernelError, notFound } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { callingToken } from './calling-token.ts'
import { infoOf, TOKEN_INFO, type TokenInfo } from './token-info.ts'

const NAMED = { token: f.text("The token. Default: the caller's token.").default('') }

function lookUp(tx: Tx, { token }: { readonly token: string }): TokenInfo {
  if (token === '') return lookUpSelf(tx)
  const found = findValidToken(tx, token)
  if (!found) throw refusal(tx)
  return infoOf(tx, token, found.token)
}

/** Callers with a token get Vault's message. The application, which has every permission, gets the reason. */
const refusal = (tx: Tx): KernelError =>
  tx.call.caller.kind === 'token'
    ? new KernelError('ERR_PERMISSION_DENIED', 'bad token')
    : notFound('token: does not exist in this namespace, was revoked, or has expired')

function lookUpSelf(tx: Tx): TokenInfo {
  const { text, token } = callingToken(tx)
  return infoOf(tx, text, token)
}

/**
 * @throws KernelError 400 if no token is given and the caller has no token.
 * @throws KernelError 404 if the token is unknown, has expired, or was revoked. On views made by `as(token)` the status is 403 instead.
 */
export const lookupToken = operation({
  kind: 'read',
  verb: 'POST',
  path: '/lookup',
  runsInNamespaceOf: 'named',
  summary: 'Shows the properties of a token. The lookup does not count as a use of that token.',
  fields: NAMED,
  returns: TOKEN_INFO,
  run: lookUp,
})

export const lookupByGet = operation({
  kind: 'read',
  verb: 'GET',
  path: '/lookup',
  runsInNamespaceOf: 'named',
  summary: 'Shows the properties of a token.',
  fields: NAMED,
  returns: TOKEN_INFO,
  run: lookUp,
})

/**
 * @throws KernelError 400 if the caller has no token. Call this method on a view made by `as(token)`.
 * @example
 * const { policies, ttl } = await kernel.as(token).tokens.lookupSelf()
 */
export const lookupSelf = operation({
  kind: 'read',
  verb: 'GET',
  path: '/lookup-self',
  runsInNamespaceOf: 'caller',
  summary: 'Shows the properties of the calling token.',
  fields: {},
  returns: TOKEN_INFO,
  run: lookUpSelf,
})

export const lookupSelfByPost = operation({
  kind: 'read',
  verb: 'POST',
  path: '/lookup-self',
  runsInNamespaceOf: 'caller',
  summary: 'Shows the properties of the calling token.',
  fields: {},
  returns: TOKEN_INFO,
  run: lookUpSelf,
})

/** @throws KernelError 400 if `accessor` is missing, or if no token has this accessor. */
export const lookupAccessor = operation({
  kind: 'read',
  verb: 'POST',
  path: '/lookup-accessor',
  summary: 'Shows the properties of the token with this accessor. The response does not contain the token itself.',
  fields: { accessor: f.text('The accessor.').needed('') },
  returns: TOKEN_INFO,
  run: (tx, { accessor }) => {
    if (accessor === '') throw invalid('accessor: missing accessor')
    const found = tokenOfAccessor(tx, accessor)
    if (!found) throw notFound('accessor: invalid accessor', 400)
    return infoOf(tx, '', found.token)
  },
})
