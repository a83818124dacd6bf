/** Looking tokens up: auth/token/lookup, lookup-self, lookup-accessor (source: behaviour of the originals). */
import { tokenOfAccessor } from '../../core/access/token/by-accessor.ts'
import { tokenNamed } from '../../core/access/token/named-token.ts'
import { invalid, KernelError, notFound } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { own } from './asker.ts'
import { infoOf, TOKEN_INFO, type TokenInfo } from './token-info.ts'

const NAMED = { token: f.text("The token; without it, the caller's own.").default('') }

function lookUp(tx: Tx, { token }: { readonly token: string }): TokenInfo {
  if (token === '') return lookUpSelf(tx)
  const found = tokenNamed(tx, token)
  if (!found) throw refusal(tx)
  return infoOf(tx, token, found.token)
}

/** Vault's answer; the application, which has every permission, gets the reason. */
const refusal = (tx: Tx): KernelError =>
  tx.call.caller.kind === 'token'
    ? new KernelError('ERR_PERMISSION_DENIED', 'bad token')
    : notFound('token: there is no such token in this namespace, or it has ended')

function lookUpSelf(tx: Tx): TokenInfo {
  const { text, token } = own(tx)
  return infoOf(tx, text, token)
}

export const lookupToken = operation({
  kind: 'read',
  verb: 'POST',
  path: '/lookup',
  follows: 'named',
  summary: 'Shows what a token is. Being looked up is no use of it.',
  fields: NAMED,
  returns: TOKEN_INFO,
  run: lookUp,
})

export const lookupByGet = operation({
  kind: 'read',
  verb: 'GET',
  path: '/lookup',
  follows: 'named',
  summary: 'Shows what a token is.',
  fields: NAMED,
  returns: TOKEN_INFO,
  run: lookUp,
})

export const lookupSelf = operation({
  kind: 'read',
  verb: 'GET',
  path: '/lookup-self',
  follows: 'caller',
  summary: 'Shows what the caller is.',
  fields: {},
  returns: TOKEN_INFO,
  run: lookUpSelf,
})

export const lookupSelfByPost = operation({
  kind: 'read',
  verb: 'POST',
  path: '/lookup-self',
  follows: 'caller',
  summary: 'Shows what the caller is.',
  fields: {},
  returns: TOKEN_INFO,
  run: lookUpSelf,
})

export const lookupAccessor = operation({
  kind: 'read',
  verb: 'POST',
  path: '/lookup-accessor',
  summary: 'Shows what the token with an accessor is, but not the token.',
  fields: { accessor: f.text('The accessor.').needed('') },
  returns: TOKEN_INFO,
  run: (tx, { accessor }) => {
    if (accessor === '') throw invalid('accessor: missing accessor')
    const found = tokenOfAccessor(tx, accessor)
    if (!found) throw notFound('accessor: invalid accessor', 400)
    return infoOf(tx, '', found.token)
  },
})
