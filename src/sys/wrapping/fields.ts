import { type WrapInfo, wrappingToken } from '../../core/access/wrapping/wrapping-token.ts'
import { KernelError } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'

export const WRAP_INFO = {
  token: f.text('The wrapping token, which can unwrap the response once.'),
  accessor: f.text('The accessor of the wrapping token, for revoking the token without unwrapping the response.'),
  ttl: f.int('Seconds until the wrapped response expires.'),
  creation_time: f.text('When the wrapping token was created, in RFC 3339.'),
  creation_path: f.text('The path of the request whose response is wrapped.'),
  wrapped_accessor: f.text('The accessor of the token in the wrapped response, if that response contains a token.').optional(),
}

export const wireWrapInfo = (wrap_info: WrapInfo) => ({ wrap_info })

export const TOKEN_FIELD = f.text("The wrapping token. Default: the caller's token.").optional()

/** Returns the wrapping token of a request: the parameter `token` or, without this parameter, the caller's token. */
export function aboutToken(tx: Tx, named: string | undefined): string {
  if (named === '') throw new KernelError('ERR_PERMISSION_DENIED', 'error validating wrapping token: empty token in request body')
  const { caller } = tx.call
  const own = caller.kind === 'app' ? undefined : caller.text
  const text = named ?? own
  if (!text) throw new KernelError('ERR_PERMISSION_DENIED', 'error validating wrapping token: token is empty')
  return text
}

/**
 * Validates the wrapping token before the caller is authenticated. So a request with an invalid wrapping token gets a 400, and does not
 * count as a use of the caller's token.
 * @throws KernelError 400 if the wrapping token is invalid, 403 if the request has no wrapping token.
 */
export const validateFirst = (tx: Tx, { token }: { readonly token?: string | undefined }): void =>
  void wrappingToken(tx, aboutToken(tx, token))
