/**
 * Finds the token that a secret belongs to, and whether it is good: decided at each use, whatever has been cleared away yet.
 */
import { KernelError } from '../../core/base/errors.ts'
import { hasEnded } from '../../core/policy/index.ts'
import type { ConfigTx } from '../call.ts'
import { CONFIG_SETTINGS } from '../settings.ts'
import { linkedMethod } from './auth-methods/find-method.ts'
import { ACL_ACCESSOR, ACL_TOKEN, type AclTokenRecord, ANONYMOUS_ACCESSOR } from './records.ts'

/** Longer texts are no SecretID. Hashing what a caller sends costs time. */
const MAX_SECRET_CHARACTERS = 256

/** What a token without a record may do: nothing but what holds by default. */
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

/** The id that the token with this secret is stored under. */
export const tokenIdOf = (tx: ConfigTx, secret: string): string => CONFIG_SETTINGS.of(tx).salt.id(secret)

/** The token as it is stored, if it is good. */
export function findToken(tx: ConfigTx, secret: string): AclTokenRecord | undefined {
  if (secret.length > MAX_SECRET_CHARACTERS) return undefined
  const token = tx.get(ACL_TOKEN, tokenIdOf(tx, secret))
  return token && isValid(tx, token) ? token : undefined
}

/** Whether it has neither expired nor lost the method that made it. By an end that is no time it has expired. */
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
