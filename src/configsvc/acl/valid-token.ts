/**
 * Finds the token to which a secret belongs. Every use checks the token's expiration and its auth method, even if expired tokens have not
 * been deleted yet.
 */
import { KernelError } from '../../core/base/errors.ts'
import { hasEnded } from '../../core/policy/index.ts'
import type { ConfigTx } from '../call.ts'
import { CONFIG_SETTINGS } from '../settings.ts'
import { linkedMethod } from './auth-methods/find-method.ts'
import { ACL_ACCESSOR, ACL_TOKEN, type AclTokenRecord, ANONYMOUS_ACCESSOR } from './records.ts'

/** Longer secrets are refused without hashing them, which would take time in proportion to their length. */
const MAX_SECRET_CHARACTERS = 256

/** Used for requests without a secret if the anonymous token was deleted from the store. It has no policies. */
const ANONYMOUS_FALLBACK: AclTokenRecord = Object.freeze({
  AccessorID: ANONYMOUS_ACCESSOR,
  Description: 'Anonymous Token',
  Policies: [],
  Roles: [],
  TemplatedPolicies: [],
  ServiceIdentities: [],
  NodeIdentities: [],
  Local: false,
  CreateTime: 0,
  Hash: '',
  Namespace: 'default',
  CreateIndex: 0,
  ModifyIndex: 0,
})

/** The id under which the token with this secret is stored. A request hashes each secret once, even if its transaction runs again. */
export function tokenIdOf(tx: ConfigTx, secret: string): string {
  const { tokenIds } = tx.call
  const known = tokenIds?.get(secret)
  if (known !== undefined) return known
  const id = CONFIG_SETTINGS.of(tx).salt.id(secret)
  tokenIds?.set(secret, id)
  return id
}

/** Undefined if the token does not exist or is not valid. */
export function findToken(tx: ConfigTx, secret: string): AclTokenRecord | undefined {
  if (secret.length > MAX_SECRET_CHARACTERS) return undefined
  const token = tx.get(ACL_TOKEN, tokenIdOf(tx, secret))
  return token && isValid(tx, token) ? token : undefined
}

/** False if the token has expired or its auth method was deleted. An ExpirationTime that is not a number counts as expired. */
export function isValid(tx: ConfigTx, { ExpirationTime, AuthMethod, Namespace }: AclTokenRecord): boolean {
  if (hasEnded(ExpirationTime, tx.now)) return false
  return !AuthMethod || linkedMethod(tx, Namespace, AuthMethod) !== undefined
}

/** @param secret Empty: the anonymous token. @throws KernelError 403 for a secret that belongs to no valid token. */
export function requireToken(tx: ConfigTx, secret: string): AclTokenRecord {
  if (secret === '') return anonymousToken(tx)
  const token = findToken(tx, secret)
  if (!token) throw new KernelError('ERR_PERMISSION_DENIED', 'ACL not found')
  return token
}

function anonymousToken(tx: ConfigTx): AclTokenRecord {
  const id = tx.get(ACL_ACCESSOR, ANONYMOUS_ACCESSOR)
  return (id !== undefined && tx.get(ACL_TOKEN, id)) || ANONYMOUS_FALLBACK
}
