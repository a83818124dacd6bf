/** Token renewal: auth/token/renew, renew-self, renew-accessor, as in Vault. */
import { ancestors } from '../../core/access/token/ancestry.ts'
import { authOf } from '../../core/access/token/auth-reply.ts'
import { type TokenLookup, tokenOfAccessor } from '../../core/access/token/by-accessor.ts'
import { findValidToken } from '../../core/access/token/find-token.ts'
import { type RenewalLimits, renewStoredToken as renewRecord } from '../../core/access/token/renew.ts'
import { invalid, notFound } from '../../core/base/errors.ts'
import { AUTH, type Auth, authWire } from '../../core/contract/auth-reply.ts'
import { capMountTtl } from '../../core/contract/login-terms.ts'
import { effectiveTtl } from '../../core/contract/mount-record.ts'
import { operation } from '../../core/contract/operation.ts'
import type { TokenRecord } from '../../core/contract/token-record.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import type { Mount } from '../../core/mount/mount.ts'
import { runInMount } from '../../core/mount/run-in-mount.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { callingToken } from './calling-token.ts'
import { lesser } from './limits.ts'
import { TOKEN_ROLE } from './token-role.ts'

const INCREMENT = f
  .duration('The requested lifetime, counted from now. Default: the lifetime that the creation or the last renewal granted.')
  .default(0)

/** @param text The string that the response shows as the token. */
function renew(tx: Tx, found: TokenLookup | undefined, text: string, increment: number): Auth {
  if (!found) throw notFound('token: token not found', 400)
  const { id, token } = found
  const mount = TOPOLOGY.of(tx).mounts.byId(token.mount)
  if (!mount) throw notFound('token: token not found', 400)
  const limits = token.login ? loginLimits(tx, mount, token, token.login) : roleLimits(tx, mount, token)
  const renewed = renewRecord(tx, id, token, increment, limits)
  return authOf(tx, text, renewed, renewed.last_ttl)
}

/**
 * Returns the limits for a token that no login created. The current settings of its role apply, even if they have changed since the
 * creation.
 */
function roleLimits(tx: Tx, { record }: Mount, token: TokenRecord): RenewalLimits {
  const role = token.role === '' ? undefined : tx.get(TOKEN_ROLE, `${token.namespace}/${token.role}`)
  if (token.role !== '' && !role) throw notFound(`original token role "${token.role}" could not be found, not renewing`, 400)
  return {
    mount: effectiveTtl(record),
    period: lesser(token.period, role?.token_period ?? 0),
    explicitMax: lesser(token.explicit_max_ttl, role?.token_explicit_max_ttl ?? 0),
  }
}

/** Returns the limits for a token that a login created. The current limits of the auth method apply. */
function loginLimits(tx: Tx, mount: Mount, token: TokenRecord, data: NonNullable<TokenRecord['login']>): RenewalLimits {
  const { logins } = mount.engine
  // This kernel was created without the engine of that auth method.
  if (!logins)
    throw notFound(
      `${mount.record.type}: the kernel has no auth method of this type, so tokens from its logins cannot be renewed`,
      400,
    )
  const { ttl, maxTtl, period } = runInMount(tx, mount, (at) => logins.renew(at, data))
  return { mount: capMountTtl(effectiveTtl(mount.record), maxTtl), period, explicitMax: token.explicit_max_ttl, fallback: ttl }
}

/**
 * @throws KernelError 400 if `token` is missing, if the token does not exist, if the token is a batch token, if the token never expires, if
 *   the token was created as not renewable, or if the token role or the login role with which the token was created was deleted.
 */
export const renewToken = operation({
  kind: 'write',
  verb: 'POST',
  path: '/renew',
  runsInNamespaceOf: 'named',
  summary: 'Renews a token. The new lifetime begins now and may be longer or shorter than the old one.',
  fields: { token: f.text('The token.').needed(''), increment: INCREMENT },
  returns: AUTH,
  wire: authWire,
  run: (tx, { token, increment }) => {
    if (token === '') throw invalid('token: missing token ID')
    return renew(tx, findValidToken(tx, token), token, increment)
  },
})

/**
 * @throws KernelError 400 if the caller has no token, if the token is a batch token, if the token never expires, if the token was created
 *   as not renewable, or if the token role or the login role with which the token was created was deleted. Call this method on a view made
 *   by `as(token)`.
 * @example
 * const { lease_duration } = await kernel.as(token).tokens.renewSelf({ increment: '2h' })
 */
export const renewSelf = operation({
  kind: 'write',
  verb: 'POST',
  path: '/renew-self',
  runsInNamespaceOf: 'caller',
  summary: 'Renews the calling token. The new lifetime begins now and may be longer or shorter than the old one.',
  fields: { increment: INCREMENT },
  returns: AUTH,
  wire: authWire,
  run: (tx, { increment }) => {
    const { id, text, token } = callingToken(tx)
    if (token.type === 'batch') throw invalid('batch tokens cannot be renewed')
    const found = ancestors(tx, id)?.[0]
    return renew(tx, found && { id, token: found.record }, text, increment)
  },
})

/**
 * @throws KernelError 400 if `accessor` is missing, if no token has this accessor, if the token is a batch token, if the token never
 *   expires, if the token was created as not renewable, or if the token role or the login role with which the token was created was
 *   deleted.
 */
export const renewAccessor = operation({
  kind: 'write',
  verb: 'POST',
  path: '/renew-accessor',
  summary: 'Renews the token with this accessor. The new lifetime begins now and may be longer or shorter than the old one.',
  fields: { accessor: f.text('The accessor.').needed(''), increment: INCREMENT },
  returns: AUTH,
  wire: authWire,
  run: (tx, { accessor, increment }) => {
    if (accessor === '') throw invalid('accessor: missing accessor')
    const found = tokenOfAccessor(tx, accessor)
    if (!found) throw notFound('accessor: invalid accessor', 400)
    return renew(tx, found, '', increment)
  },
})
