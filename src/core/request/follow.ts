/**
 * Operations on tokens go to the namespace of the token they are about, wherever they are asked (source: behaviour of the originals).
 * Room: core/request. Imported by both views.
 */
import type { Caller } from '../auth/caller.ts'
import { suffixOf } from '../auth/token/token-id.ts'
import type { NamespaceRecord } from '../namespace/namespace.ts'
import type { NamespaceTable } from '../namespace/namespace-table.ts'
import type { AnyOperation } from '../operation/operation.ts'
import { isWrapping } from '../wrapping/wrapping-token.ts'

/**
 * The namespace an operation runs in, and is judged in; undefined where it follows nobody.
 * @param named What the parameter `token` holds. A token that tells of no namespace is one of the root's.
 */
export function homeOf(
  operation: AnyOperation | undefined,
  named: unknown,
  caller: Caller,
  namespaces: NamespaceTable,
): NamespaceRecord | undefined {
  if (!operation?.follows) return undefined
  if (operation.follows === 'wrapping') return caller.kind === 'token' && isWrapping(caller.token) ? caller.namespace : undefined
  if (operation.follows === 'named' && typeof named === 'string' && named !== '') return namespaces.byId(suffixOf(named))
  return caller.kind === 'token' ? caller.namespace : undefined
}
