/** POST sys/decode-token (source: behaviour of the originals). */
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { decodeToken as decode } from '../../core/seal/token-pad.ts'

export const decodeToken = operation({
  kind: 'read',
  verb: 'POST',
  path: '/decode-token',
  unauthenticated: true,
  rootOnly: true,
  summary: 'Decodes a token that was made under a pad.',
  fields: {
    encoded_token: f.text('As the last share was answered.').needed(''),
    otp: f.text('The pad.').default(''),
  },
  returns: { token: f.text('The token.') },
  run: (_, { encoded_token, otp }) => ({ token: decode(encoded_token, otp) }),
})
