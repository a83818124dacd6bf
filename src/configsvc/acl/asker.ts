/**
 * Whoever asks, and whether they may.
 */
import { KernelError } from '../../core/base/errors.ts'
import type { ConfigTx } from '../call.ts'
import { type Authorizer, type Permission, type PermissionText, readPermissionText } from '../rules/index.ts'
import { SETTINGS } from '../settings.ts'
import { DEFAULT_NAMESPACE, type TokenRecord } from './records.ts'
import { authorizerOfToken } from './token-authorizer.ts'
import { tokenOf } from './valid-token.ts'

export interface Asker {
  /** Undefined for the application, and where tokens do not decide. */
  readonly token: TokenRecord | undefined
  readonly authorizer: Authorizer | undefined
}

/** The application may do everything, and everybody may where tokens do not decide. */
const ANYBODY: Asker = Object.freeze({ token: undefined, authorizer: undefined })

/** @throws KernelError 403 for a secret that belongs to no valid token. */
export function askerOf(tx: ConfigTx): Asker {
  const { caller } = tx.call
  return caller.kind === 'app' ? ANYBODY : askerWith(tx, caller.secret)
}

/** Whoever has this secret; empty: none. @throws KernelError 403 for a secret that belongs to no valid token. */
export function askerWith(tx: ConfigTx, secret: string): Asker {
  if (!SETTINGS.of(tx).enabled) return ANYBODY
  const token = tokenOf(tx, secret)
  return { token, authorizer: authorizerOfToken(tx, token) }
}

/** Whether a token counts in a namespace: that of its own, or from the default one, which reaches into all. */
export const reaches = ({ Namespace }: TokenRecord, namespace: string): boolean =>
  Namespace === DEFAULT_NAMESPACE || Namespace === namespace

export function decide({ token, authorizer }: Asker, namespace: string, permission: Permission, segment: string): boolean {
  if (!token || !authorizer) return true
  return reaches(token, namespace) && authorizer.decide(permission.resource, permission.access, segment)
}

/** Whether the caller may do this in the namespace. */
export const may = (asker: Asker, namespace: string, permission: PermissionText, segment = ''): boolean =>
  decide(asker, namespace, readPermissionText(permission), segment)

/** Whether there is a name on which the caller may do this in the namespace. */
export function mayAny({ token, authorizer }: Asker, namespace: string, permission: PermissionText): boolean {
  if (!token || !authorizer) return true
  const { resource, access } = readPermissionText(permission)
  return reaches(token, namespace) && authorizer.allowsAny(resource, access)
}

/** @throws KernelError 403 that tells what is lacking, and nothing of what exists. */
export function permit(asker: Asker, namespace: string, permission: PermissionText, segment = ''): void {
  if (!may(asker, namespace, permission, segment)) throw denied(asker, permission, segment)
}

export function denied({ token }: Asker, permission: PermissionText, segment = ''): KernelError {
  const who = token ? `token with AccessorID '${token.AccessorID}'` : 'provided token'
  const what = segment === '' ? '' : ` on ${JSON.stringify(segment.slice(0, LONGEST_SHOWN))}`
  return new KernelError('ERR_PERMISSION_DENIED', `Permission denied: ${who} lacks permission '${permission}'${what}`)
}

const LONGEST_SHOWN = 256
