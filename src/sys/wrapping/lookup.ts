/** POST and GET sys/wrapping/lookup (source: behaviour of the originals). */
import { wrappingToken, wrapRecordOf } from '../../core/access/wrapping/wrapping-token.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { aboutToken, TOKEN_FIELD } from './fields.ts'

const RECORD = {
  creation_ttl: f.int('Seconds it was made for.'),
  creation_time: f.text('RFC 3339.'),
  creation_path: f.text('The request whose answer it is.'),
}

/** Omits the status of the wrapped answer, which only unwrapping reveals. */
function tellOf(tx: Tx, named: string | undefined) {
  const { creation_ttl, creation_time, creation_path } = wrapRecordOf(tx, wrappingToken(tx, aboutToken(tx, named)).token)
  return { creation_ttl, creation_time, creation_path }
}

export const lookupWrapping = operation({
  kind: 'read',
  verb: 'POST',
  path: '/wrapping/lookup',
  unauthenticated: true,
  summary: 'Tells of a wrapping token without opening it.',
  fields: { token: TOKEN_FIELD },
  returns: RECORD,
  run: (tx, { token }) => tellOf(tx, token),
})

export const lookupSelfWrapping = operation({
  kind: 'read',
  verb: 'GET',
  path: '/wrapping/lookup',
  unauthenticated: true,
  summary: 'Tells of the wrapping token that the request comes with.',
  fields: {},
  returns: RECORD,
  run: (tx) => tellOf(tx, undefined),
})
