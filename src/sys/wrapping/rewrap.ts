/** POST sys/wrapping/rewrap, as in Vault. */
import { revokeStoredToken } from '../../core/access/token/revoke.ts'
import { wrapAnswer, wrappedAnswerOf, wrappingToken, wrapRecordOf } from '../../core/access/wrapping/wrapping-token.ts'
import { parseJsonDocument } from '../../core/contract/document.ts'
import { operation } from '../../core/contract/operation.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { aboutToken, TOKEN_FIELD, validateFirst, WRAP_INFO, wireWrapInfo } from './fields.ts'

/**
 * @throws KernelError 400 if the token does not exist, is not a wrapping token, was already used, or has expired.
 * @throws KernelError 403 if no token is given and the caller has no token.
 * @throws KernelError 429 if too many recent calls had a wrapping token in JWT format with a wrong signature. Try again after a second.
 */
export const rewrap = operation({
  kind: 'write',
  verb: 'POST',
  path: '/wrapping/rewrap',
  runsInNamespaceOf: 'wrapping',
  validatesFirst: validateFirst,
  summary: 'Replaces a wrapping token by a new one with the same content and lifetime. The former token becomes invalid.',
  fields: { token: TOKEN_FIELD },
  returns: WRAP_INFO,
  wire: wireWrapInfo,
  run: (tx, { token }) => {
    const found = wrappingToken(tx, aboutToken(tx, token))
    const { creation_ttl: ttl, creation_path: path, status = 200 } = wrapRecordOf(tx, found.token)
    const answer = wrappedAnswerOf(tx, found.token)
    const { auth } = parseJsonDocument(tx, answer, 'answer') as { readonly auth?: { readonly accessor?: string } | null }
    revokeStoredToken(tx, found.id)
    const namespace = TOPOLOGY.of(tx).namespaces.byUuid(found.token.namespace)
    const wrappedAccessor = auth?.accessor || undefined
    return wrapAnswer(tx, { answer, status, ttl, path, wrappedAccessor, format: 'token', namespace })
  },
})
