/** GET sys/wrapping/pubkey (source: behaviour of the originals). */
import { jwtPublicKey } from '../../core/access/wrapping/wrapping-jwt.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'

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
