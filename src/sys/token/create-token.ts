/** POST auth/token/create, create-orphan and create/:role_name, as in Vault. */
import { AUTH, authWire } from '../../core/contract/auth-reply.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { makeToken } from './make-token.ts'
import { REQUEST } from './token-request.ts'

const PATH = 'auth/token/create'

/**
 * @throws KernelError 400 if the caller's token is a batch token or has a limited number of uses, if `period`, `no_parent` or `id` is given
 *   by a caller without `sudo`, if a caller without `sudo` creates a token in another namespace than that of the caller's token, if `id` is
 *   malformed or already in use, if a duration is malformed, if `id`, `period`, `num_uses` or `explicit_max_ttl` is given for a batch
 *   token, if a caller without `sudo` names a policy that the caller's token does not have, if the application names no policies, or if
 *   `entity_alias` is given (it needs a token role).
 * @throws KernelError 403 if the caller's token expires or is revoked during the request.
 * @example
 * const { client_token, accessor } = await kernel.tokens.createToken({
 *   policies: ['orders'],
 *   ttl: '1h',
 *   display_name: 'checkout',
 * })
 * const view = kernel.as(client_token)
 */
export const createToken = operation({
  kind: 'write',
  verb: 'POST',
  path: '/create',
  summary:
    'Creates a token. It is a child of the calling token, so it is revoked together with that token; if the application calls, it is an orphan.',
  fields: REQUEST,
  returns: AUTH,
  wire: authWire,
  run: (tx, request) => makeToken(tx, request, { path: PATH }),
})

/**
 * @throws KernelError 400 if the caller's token is a batch token or has a limited number of uses, if `period`, `no_parent` or `id` is given
 *   by a caller without `sudo`, if a caller without `sudo` creates a token in another namespace than that of the caller's token, if `id` is
 *   malformed or already in use, if a duration is malformed, if `id`, `period`, `num_uses` or `explicit_max_ttl` is given for a batch
 *   token, if a caller without `sudo` names a policy that the caller's token does not have, if the application names no policies, or if
 *   `entity_alias` is given (it needs a token role).
 * @throws KernelError 403 if the caller's token expires or is revoked during the request.
 */
export const createOrphan = operation({
  kind: 'write',
  verb: 'POST',
  path: '/create-orphan',
  summary: 'Creates an orphan token, which is not revoked together with another token.',
  fields: REQUEST,
  returns: AUTH,
  wire: authWire,
  run: (tx, request) => makeToken(tx, request, { path: `${PATH}-orphan`, orphan: true }),
})

/**
 * @throws KernelError 400 if the role does not exist, if the caller's token is a batch token or has a limited number of uses, if `period`,
 *   `no_parent` or `id` is given by a caller without `sudo`, if a caller without `sudo` creates a token in another namespace than that of
 *   the caller's token, if `id` is malformed or already in use, if a duration is malformed, if `id`, `period`, `num_uses` or
 *   `explicit_max_ttl` is given for a batch token, if `policies` names a policy that the role does not allow, if the role allows no
 *   particular policies and a caller without `sudo` names a policy that the caller's token does not have, if the application names no
 *   policies and the role has no `allowed_policies`, or if the role does not allow the `entity_alias`.
 * @throws KernelError 403 if the caller's token expires or is revoked during the request, or if the entity of the `entity_alias` is
 *   disabled.
 */
export const createWithRole = operation({
  kind: 'write',
  verb: 'POST',
  path: '/create/:role_name',
  summary: 'Creates a token with the settings of a token role.',
  fields: { ...REQUEST, role_name: f.name('The name of the token role.') },
  returns: AUTH,
  wire: authWire,
  run: (tx, { role_name, ...request }) => makeToken(tx, request, { path: `${PATH}/${role_name}`, role: role_name }),
})
