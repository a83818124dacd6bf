/** POST sys/wrapping/unwrap, as in Vault. */
import { isWrapping } from '../../core/access/policies.ts'
import { revokeStoredToken } from '../../core/access/token/revoke.ts'
import { wrappedAnswerOf, wrappingToken, wrappingTokenId, wrapRecordOf } from '../../core/access/wrapping/wrapping-token.ts'
import { parseJsonDocument } from '../../core/contract/document.ts'
import { operation } from '../../core/contract/operation.ts'
import type { TokenRecord } from '../../core/contract/token-record.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { aboutToken, TOKEN_FIELD, validateFirst } from './fields.ts'

/**
 * @throws KernelError 400 if the token does not exist, is not a wrapping token, was already used, or has expired.
 * @throws KernelError 403 if no token is given and the caller has no token.
 * @throws KernelError 429 if too many recent calls had a wrapping token in JWT format with a wrong signature. Try again after a second.
 * @example
 * const { answer } = await kernel.wrapping.unwrap({ token: wrapped })
 */
export const unwrap = operation({
  kind: 'write',
  verb: 'POST',
  path: '/wrapping/unwrap',
  runsInNamespaceOf: 'wrapping',
  validatesFirst: validateFirst,
  summary: 'Returns the wrapped response. The wrapping token becomes invalid.',
  fields: { token: TOKEN_FIELD },
  returns: {
    answer: f.json<Readonly<Record<string, unknown>>>('The original response.'),
    status: f
      .int('The HTTP status of the original response; absent if it is 200. A call by path returns this status itself.')
      .optional(),
  },
  wire: ({ answer, status = 200 }) => ({ whole: answer, status }),
  run: (tx, { token: named }) => {
    const { caller } = tx.call
    const text = aboutToken(tx, named)
    // If the caller's token is the wrapping token, admission has already counted this request as the only use of the token.
    const own =
      caller.kind === 'token' && isWrapping(caller.token) && (named === undefined || wrappingTokenId(tx, named) === caller.id)
    if (own) return opened(tx, caller.token)
    const found = wrappingToken(tx, text)
    const answer = opened(tx, found.token)
    // The commit conflicts if a concurrent `unwrap` or `rewrap` has revoked the token, so the response is returned only once.
    revokeStoredToken(tx, found.id)
    return answer
  },
})

function opened(tx: Tx, token: TokenRecord) {
  const answer = parseJsonDocument(tx, wrappedAnswerOf(tx, token), 'answer')
  const { status } = wrapRecordOf(tx, token)
  return status === undefined ? { answer } : { answer, status }
}
