/** GET sys/wrapping/pubkey (source: behaviour of the originals). */
import { f } from '../../core/operation/fields.ts'
import { operation } from '../../core/operation/operation.ts'
import { jwtPublicKey } from '../../core/wrapping/wrapping-jwt.ts'

export const readPublicKey = operation({
  kind: 'upsert',
  verb: 'GET',
  path: '/wrapping/pubkey',
  unauthenticated: true,
  summary: 'Shows the key that wrapping tokens in the form of a JWT are signed with.',
  fields: {},
  returns: { pubkey: f.text('PEM, P-521.') },
  run: (tx) => ({ pubkey: jwtPublicKey(tx) }),
})
