/**
 * Whoever asks, and whether they may.
 */
import { KernelError } from '../../core/base/errors.ts'
import type { ConfigTx } from '../call.ts'
import { type Authorizer, type Permission, type PermissionText, readPermissionText } from '../rules/index.ts'
import { CONFIG_SETTINGS } from '../settings.ts'
import { type AclTokenRecord, DEFAULT_NAMESPACE } from './records.ts'
import { authorizerOfToken } from './token-authorizer.ts'
import { requireToken } from './valid-token.ts'

export interface AclCaller {
  /** Undefined for the application, and where tokens do not decide. */
  readonly token: AclTokenRecord | undefined
  readonly authorizer: Authorizer | undefined
}

/** The application may do everything, and everybody may where tokens do not decide. */
const UNRESTRICTED: AclCaller = Object.freeze({ token: undefined, authorizer: undefined })

/** @throws KernelError 403 for a secret that belongs to no valid token. */
export function aclCallerOf(tx: ConfigTx): AclCaller {
  const { caller } = tx.call
  return caller.kind === 'app' ? UNRESTRICTED : aclCallerWithSecret(tx, caller.secret)
}

/** Whoever has this secret; empty: none. @throws KernelError 403 for a secret that belongs to no valid token. */
export function aclCallerWithSecret(tx: ConfigTx, secret: string): AclCaller {
  if (!CONFIG_SETTINGS.of(tx).enabled) return UNRESTRICTED
  const token = requireToken(tx, secret)
  return { token, authorizer: authorizerOfToken(tx, token) }
}

/** Whether a token counts in a namespace: that of its own, or from the default one, which reaches into all. */
export const coversNamespace = ({ Namespace }: AclTokenRecord, namespace: string): boolean =>
  Namespace === DEFAULT_NAMESPACE || Namespace === namespace

export function isAllowed({ token, authorizer }: AclCaller, namespace: string, permission: Permission, segment: string): boolean {
  if (!token || !authorizer) return true
  return coversNamespace(token, namespace) && authorizer.decide(permission.resource, permission.access, segment)
}

/** Whether the caller may do this in the namespace. */
export const mayAccess = (asker: AclCaller, namespace: string, permission: PermissionText, segment = ''): boolean =>
  isAllowed(asker, namespace, readPermissionText(permission), segment)

/** Whether there is a name on which the caller may do this in the namespace. */
export function mayAccessAny({ token, authorizer }: AclCaller, namespace: string, permission: PermissionText): boolean {
  if (!token || !authorizer) return true
  const { resource, access } = readPermissionText(permission)
  return coversNamespace(token, namespace) && authorizer.allowsAny(resource, access)
}

/** @throws KernelError 403 that tells what is lacking, and nothing of what exists. */
export function authorize(asker: AclCaller, namespace: string, permission: PermissionText, segment = ''): void {
  if (!mayAccess(asker, namespace, permission, segment)) throw permissionDenied(asker, permission, segment)
}

export function permissionDenied({ token }: AclCaller, permission: PermissionText, segment = ''): KernelError {
  const who = token ? `token with AccessorID '${token.AccessorID}'` : 'provided token'
  const what = segment === '' ? '' : ` on ${JSON.stringify(segment.slice(0, MAX_SHOWN_CHARACTERS))}`
  return new KernelError('ERR_PERMISSION_DENIED', `Permission denied: ${who} lacks permission '${permission}'${what}`)
}

const MAX_SHOWN_CHARACTERS = 256
