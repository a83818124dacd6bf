/** POST sys/decode-token, as in Vault. */
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { decodeToken as decode } from '../../core/seal/token-pad.ts'

/**
 * @throws KernelError 400 if `encoded_token` or `otp` is empty, if `encoded_token` is not base64, or if the decoded token and `otp` have
 *   different lengths.
 */
export const decodeToken = operation({
  kind: 'read',
  verb: 'POST',
  path: '/decode-token',
  unauthenticated: true,
  rootOnly: true,
  summary: 'Decodes a token that was encoded with a one-time pad.',
  fields: {
    encoded_token: f.text('The encoded token, from the response to the last share.').needed(''),
    otp: f.text('The one-time pad, from the response that began the attempt.').default(''),
  },
  returns: { token: f.text('The decoded token.') },
  run: (_, { encoded_token, otp }) => ({ token: decode(encoded_token, otp) }),
})
