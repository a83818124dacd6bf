/**
 * Credentials of the provider's own, for root configurations without keys.
 */

import { isAmbientAllowed } from '../../core/base/ambient-namespaces.ts'
import { invalid } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'

/** @throws KernelError 400 for a configuration without keys where the provider has no credentials, or not for this namespace. */
export function assertCredentialsUsable(tx: Tx, { access_key }: { readonly access_key: string }): void {
  if (access_key !== '') return
  const { ambient, ambient_namespaces } = tx.env.ports.cloud ?? {}
  if (ambient !== true) throw invalid('access_key: is required, with secret_key: ports.cloud has no credentials of its own')
  if (!isAmbientAllowed(tx.call.namespace.path, ambient_namespaces))
    throw invalid('access_key: is required, with secret_key: this namespace may not use the credentials of ports.cloud')
}
