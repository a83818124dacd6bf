/** GET sys/wrapping/pubkey, as in Vault. */
import { jwtPublicKey } from '../../core/access/wrapping/wrapping-jwt.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'

export const readPublicKey = operation({
  kind: 'upsert',
  verb: 'GET',
  path: '/wrapping/pubkey',
  unauthenticated: true,
  summary: 'Shows the public key that verifies wrapping tokens in JWT format.',
  fields: {},
  returns: { pubkey: f.text('PEM, P-521.') },
  run: (tx) => ({ pubkey: jwtPublicKey(tx) }),
})
