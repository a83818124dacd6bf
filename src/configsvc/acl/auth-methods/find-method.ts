import type { ConfigTx } from '../../call.ts'
import { isAuthMethodName } from '../../rules/index.ts'
import { AUTH_METHOD, type AuthMethodLink, type AuthMethodRecord, byName } from '../records.ts'

/** @param name The name, regardless of case. */
export const findMethod = (tx: ConfigTx, namespace: string, name: string): AuthMethodRecord | undefined =>
  isAuthMethodName(name) ? tx.get(AUTH_METHOD, byName(namespace, name)) : undefined

/** The linked method. Undefined if that method was deleted, even if another one with the same name was created since. */
export function linkedMethod(tx: ConfigTx, namespace: string, { Name, uuid }: AuthMethodLink): AuthMethodRecord | undefined {
  const method = tx.get(AUTH_METHOD, byName(namespace, Name))
  return method?.uuid === uuid ? method : undefined
}
