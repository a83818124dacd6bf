/** GET sys/wrapping/pubkey, as in Vault. */
import { jwtPublicKey } from '../../core/access/wrapping/wrapping-jwt.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'

/** @throws no errors of its own. */
export const readPublicKey = operation({
  kind: 'upsert',
  verb: 'GET',
  path: '/wrapping/pubkey',
  unauthenticated: true,
  summary: 'Shows the public key with which clients can verify wrapping tokens in JWT format.',
  fields: {},
  returns: { pubkey: f.text('The public key, on the curve P-521, in PEM.') },
  run: (tx) => ({ pubkey: jwtPublicKey(tx) }),
})
