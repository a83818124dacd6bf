import { type WrapInfo, wrappingToken } from '../../core/access/wrapping/wrapping-token.ts'
import { KernelError } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'

export const WRAP_INFO = {
  token: f.text('The wrapping token, which can unwrap the response once.'),
  accessor: f.text('Whether to revoke the token without unwrapping the response.'),
  ttl: f.int('Seconds until the wrapped response expires.'),
  creation_time: f.text('RFC 3339.'),
  creation_path: f.text('The path of the request that was wrapped.'),
  wrapped_accessor: f.text('The accessor of the token in the response, if the response contains a token.').optional(),
}

export const wireWrapInfo = (wrap_info: WrapInfo) => ({ wrap_info })

export const TOKEN_FIELD = f.text("The wrapping token. Default: the caller's token.").optional()

/** The wrapping token of a request: the one in the parameters, or else the one that authenticates the request. */
export function aboutToken(tx: Tx, named: string | undefined): string {
  if (named === '') throw new KernelError('ERR_PERMISSION_DENIED', 'error validating wrapping token: empty token in request body')
  const { caller } = tx.call
  const own = caller.kind === 'app' ? undefined : caller.text
  const text = named ?? own
  if (!text) throw new KernelError('ERR_PERMISSION_DENIED', 'error validating wrapping token: token is empty')
  return text
}

/**
 * Validates the wrapping token before the caller is authenticated, so that a request with an invalid wrapping token gets a 400 and uses up
 * no use of the caller's token.
 * @throws KernelError 400, 403
 */
export const validateFirst = (tx: Tx, { token }: { readonly token?: string | undefined }): void =>
  void wrappingToken(tx, aboutToken(tx, token))
