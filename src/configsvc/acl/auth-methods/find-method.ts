/**
 * Finds auth methods, and what belongs to one that is still there.
 */
import type { ConfigTx } from '../../call.ts'
import { isAuthMethodName } from '../../rules/index.ts'
import { byName, METHOD, type MethodLink, type MethodRecord } from '../records.ts'

/** By its name, in any case. */
export const findMethod = (tx: ConfigTx, namespace: string, name: string): MethodRecord | undefined =>
  isAuthMethodName(name) ? tx.get(METHOD, byName(namespace, name)) : undefined

/** The method itself, and no later one of its name. */
export function linkedMethod(tx: ConfigTx, namespace: string, { Name, uuid }: MethodLink): MethodRecord | undefined {
  const method = tx.get(METHOD, byName(namespace, Name))
  return method?.uuid === uuid ? method : undefined
}
