/**
 * Finds auth methods, and what belongs to one that is still there.
 */
import { gather } from '../../../core/transaction/gather.ts'
import type { ConfigTx } from '../../call.ts'
import { isAuthMethodName } from '../../rules/index.ts'
import { ALL_NAMESPACES } from '../../scope.ts'
import { byName, METHOD, type MethodLink, type MethodRecord } from '../records.ts'

/** By its name, in any case. */
export const findMethod = (tx: ConfigTx, namespace: string, name: string): MethodRecord | undefined =>
  isAuthMethodName(name) ? tx.get(METHOD, byName(namespace, name)) : undefined

/** The method itself, and no later one of its name. */
export function linkedMethod(tx: ConfigTx, namespace: string, { Name, uuid }: MethodLink): MethodRecord | undefined {
  const method = tx.get(METHOD, byName(namespace, Name))
  return method?.uuid === uuid ? method : undefined
}

/** What tells the methods that are there from those that are gone. For reads only. @param namespace `*`: all of them. */
export function methodUuids(tx: ConfigTx, namespace: string): ReadonlySet<string> {
  const at = namespace === ALL_NAMESPACES ? '' : `${namespace}/`
  const names = tx.list(METHOD, { prefix: at })
  return new Set(gather(names, (name) => tx.get(METHOD, at + name)?.uuid).filter((uuid) => uuid !== undefined))
}
