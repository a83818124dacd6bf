/**
 * Decides whether a destination uses the credentials of the process instead of configured ones, and whether the namespace of the
 * destination may use them.
 */
import { isAmbientAllowed } from '../../../core/base/ambient-namespaces.ts'
import { invalid } from '../../../core/base/errors.ts'
import type { SyncConfig, SyncDestination } from '../port.ts'

export const isAmbient = ({ ambient_without = [] }: SyncDestination, config: SyncConfig): boolean =>
  ambient_without.some((field) => (config[field] ?? '') === '')

/**
 * Whether the destination either has its own credentials or may use those of the process.
 * @param namespace The path of the namespace; undefined if the namespace was deleted.
 */
export const mayUseProcessCredentials = (store: SyncDestination, config: SyncConfig, namespace: string | undefined): boolean =>
  !isAmbient(store, config) || (namespace !== undefined && isAmbientAllowed(namespace, store.ambient_namespaces))

/** @throws KernelError 400 if the namespace may not use the credentials of the process. */
export function checkAmbientCredentials(store: SyncDestination, config: SyncConfig, namespace: string): void {
  if (mayUseProcessCredentials(store, config, namespace)) return
  const fields = store.ambient_without?.join(', ')
  throw invalid(`${fields}: required, because this namespace is not allowed to use the credentials of the process`)
}
