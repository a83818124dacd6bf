/** POST and GET sys/wrapping/lookup, as in Vault. */
import { wrappingToken, wrapRecordOf } from '../../core/access/wrapping/wrapping-token.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { aboutToken, TOKEN_FIELD } from './fields.ts'

const RECORD = {
  creation_ttl: f.int('The lifetime of the wrapping token, counted from its creation, in seconds.'),
  creation_time: f.text('When the wrapping token was created, in RFC 3339.'),
  creation_path: f.text('The path of the request whose response is wrapped.'),
}

/** Returns the properties of a wrapping token, without the status of the wrapped response: only unwrapping may reveal the status. */
function showWrapRecord(tx: Tx, named: string | undefined) {
  const { creation_ttl, creation_time, creation_path } = wrapRecordOf(tx, wrappingToken(tx, aboutToken(tx, named)).token)
  return { creation_ttl, creation_time, creation_path }
}

/**
 * @throws KernelError 400 if the token does not exist, is not a wrapping token, was already used, or has expired.
 * @throws KernelError 403 if no token is given and the caller has no token.
 * @throws KernelError 429 if too many recent calls had a wrapping token in JWT format with a wrong signature. Try again after a second.
 */
export const lookupWrapping = operation({
  kind: 'read',
  verb: 'POST',
  path: '/wrapping/lookup',
  unauthenticated: true,
  summary: 'Shows the details of a wrapping token. The token remains valid.',
  fields: { token: TOKEN_FIELD },
  returns: RECORD,
  run: (tx, { token }) => showWrapRecord(tx, token),
})

export const lookupSelfWrapping = operation({
  kind: 'read',
  verb: 'GET',
  path: '/wrapping/lookup',
  unauthenticated: true,
  summary: 'Shows the details of the wrapping token with which the request is sent, without using that token.',
  fields: {},
  returns: RECORD,
  run: (tx) => showWrapRecord(tx, undefined),
})
