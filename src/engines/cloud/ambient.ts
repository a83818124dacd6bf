import { isAmbientAllowed } from '../../core/base/ambient-namespaces.ts'
import { invalid } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'

/**
 * Throws if a root configuration has no keys and may not use the provider's ambient credentials.
 * @throws KernelError 400 if the provider has no ambient credentials, or does not allow them for this namespace.
 */
export function assertCredentialsUsable(tx: Tx, { access_key }: { readonly access_key: string }): void {
  if (access_key !== '') return
  const { ambient, ambient_namespaces } = tx.env.ports.cloud ?? {}
  if (ambient !== true) throw invalid('access_key, secret_key: are required, since ports.cloud has no ambient credentials')
  if (!isAmbientAllowed(tx.call.namespace.path, ambient_namespaces))
    throw invalid('access_key, secret_key: are required, since this namespace may not use the ambient credentials of ports.cloud')
}
