/** POST sys/replication/dr/secondary/operation-token/delete, as in Vault. */
import { invalid, KernelError } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { deleteOperationToken } from '../../core/seal/attempt/operation-token.ts'

/**
 * @throws KernelError 400 if no token is given, or if the token is a batch token.
 * @throws KernelError 403 if the token is not an operation token of this store.
 */
export const deleteToken = operation({
  kind: 'write',
  verb: 'POST',
  path: '/replication/dr/secondary/operation-token/delete',
  unauthenticated: true,
  rootOnly: true,
  onDrSecondary: true,
  summary: 'Deletes an operation token, which otherwise never expires.',
  fields: { dr_operation_token: f.text('The operation token to delete. No other token is needed.') },
  returns: {},
  wire: () => ({ empty: true }),
  run: (tx, { dr_operation_token: token }) => {
    if (token === '') throw invalid('dr_operation_token: is required')
    if (token.startsWith('b.')) throw invalid('dr_operation_token: a batch token cannot be deleted; it expires')
    if (!deleteOperationToken(tx, token))
      throw new KernelError('ERR_PERMISSION_DENIED', 'dr_operation_token: must be an operation token of this store')
    return undefined
  },
})
