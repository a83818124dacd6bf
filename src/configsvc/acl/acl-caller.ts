/** The token and the compiled policies that a request runs with, and the checks against them. */
import { KernelError } from '../../core/base/errors.ts'
import type { ConfigCall, ConfigTx } from '../call.ts'
import { type Authorizer, type Permission, type PermissionText, readPermissionText } from '../rules/index.ts'
import { CONFIG_SETTINGS } from '../settings.ts'
import { type AclTokenRecord, DEFAULT_NAMESPACE } from './records.ts'
import { authorizerOfToken } from './token-authorizer.ts'
import { requireToken } from './valid-token.ts'

export interface AclCaller {
  /** Undefined if every call is allowed: for the application's own calls, and if ACLs are disabled. */
  readonly token: AclTokenRecord | undefined
  readonly authorizer: Authorizer | undefined
}

/** For the application's own calls, and for all calls if ACLs are disabled. */
const UNRESTRICTED: AclCaller = Object.freeze({ token: undefined, authorizer: undefined })

/** The caller that the current run of each request has resolved. */
const resolved = new WeakMap<ConfigCall, AclCaller>()

/**
 * Returns the caller of the request. Each run of a transaction resolves it once.
 * @throws KernelError 403 for a secret that belongs to no valid token.
 */
export function aclCallerOf(tx: ConfigTx): AclCaller {
  const { call } = tx
  if (call.caller.kind === 'app') return UNRESTRICTED
  const known = resolved.get(call)
  if (known) return known
  const aclCaller = aclCallerWithSecret(tx, call.caller.secret)
  resolved.set(call, aclCaller)
  return aclCaller
}

/** Call this at the beginning of each run: the commit must expect the token and the policies that this run reads. */
export const forgetAclCaller = ({ call }: ConfigTx): void => void resolved.delete(call)

/**
 * @param secret The SecretID of the token. An empty string means the anonymous token.
 * @throws KernelError 403 for a secret that belongs to no valid token.
 */
export function aclCallerWithSecret(tx: ConfigTx, secret: string): AclCaller {
  if (!CONFIG_SETTINGS.of(tx).enabled) return UNRESTRICTED
  const token = requireToken(tx, secret)
  return { token, authorizer: authorizerOfToken(tx, token) }
}

/** A token is valid in its own namespace only, except for tokens of the default namespace, which are valid in every namespace. */
export const coversNamespace = ({ Namespace }: AclTokenRecord, namespace: string): boolean =>
  Namespace === DEFAULT_NAMESPACE || Namespace === namespace

export function isAllowed({ token, authorizer }: AclCaller, namespace: string, permission: Permission, segment: string): boolean {
  if (!token || !authorizer) return true
  return coversNamespace(token, namespace) && authorizer.decide(permission.resource, permission.access, segment)
}

/**
 * Whether the caller has the permission in the namespace. @param segment The name of the resource; absent for kinds of resources without
 * names.
 */
export const mayAccess = (aclCaller: AclCaller, namespace: string, permission: PermissionText, segment = ''): boolean =>
  isAllowed(aclCaller, namespace, readPermissionText(permission), segment)

/** Whether the caller has the permission for at least one resource name in the namespace. */
export function mayAccessAny({ token, authorizer }: AclCaller, namespace: string, permission: PermissionText): boolean {
  if (!token || !authorizer) return true
  const { resource, access } = readPermissionText(permission)
  return coversNamespace(token, namespace) && authorizer.allowsAny(resource, access)
}

/** @throws KernelError 403 that names the missing permission and does not reveal what exists. */
export function authorizePermission(aclCaller: AclCaller, namespace: string, permission: PermissionText, segment = ''): void {
  if (!mayAccess(aclCaller, namespace, permission, segment)) throw permissionDenied(aclCaller, permission, segment)
}

export function permissionDenied({ token }: AclCaller, permission: PermissionText, segment = ''): KernelError {
  const who = token ? `token with AccessorID '${token.AccessorID}'` : 'provided token'
  const what = segment === '' ? '' : ` on ${JSON.stringify(segment.slice(0, MAX_SHOWN_CHARACTERS))}`
  return new KernelError('ERR_PERMISSION_DENIED', `Permission denied: ${who} lacks permission '${permission}'${what}`)
}

const MAX_SHOWN_CHARACTERS = 256
