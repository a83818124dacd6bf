/**
 * Finds auth methods, and what belongs to one that is still there.
 */
import type { ConfigTx } from '../../call.ts'
import { isAuthMethodName } from '../../rules/index.ts'
import { AUTH_METHOD, type AuthMethodLink, type AuthMethodRecord, byName } from '../records.ts'

/** By its name, in any case. */
export const findMethod = (tx: ConfigTx, namespace: string, name: string): AuthMethodRecord | undefined =>
  isAuthMethodName(name) ? tx.get(AUTH_METHOD, byName(namespace, name)) : undefined

/** The method itself, and no later one of its name. */
export function linkedMethod(tx: ConfigTx, namespace: string, { Name, uuid }: AuthMethodLink): AuthMethodRecord | undefined {
  const method = tx.get(AUTH_METHOD, byName(namespace, Name))
  return method?.uuid === uuid ? method : undefined
}
