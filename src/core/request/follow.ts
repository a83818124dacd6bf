/**
 * Operations on tokens and leases go to the namespace of what they are about, wherever they are asked (source: behaviour of the
 * originals).
 */
import { isWrapping } from '../access/policies.ts'
import { suffixOf } from '../access/token/token-id.ts'
import type { Caller } from '../contract/caller.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { Values } from '../field/parse.ts'
import { memberOf } from '../json/wide-object.ts'
import type { NamespaceTable } from '../mount/namespace-table.ts'

/**
 * The namespace an operation runs in, and is judged in; undefined where it follows nobody.
 * @param input Where a name in the path goes before one among the parameters. A token that tells of no namespace is one of the root's.
 */
export function homeOf(
  operation: AnyOperation | undefined,
  input: Values,
  captures: Readonly<Record<string, string>>,
  caller: Caller,
  namespaces: NamespaceTable,
): NamespaceRecord | undefined {
  if (!operation?.follows) return undefined
  if (operation.follows === 'wrapping') return caller.kind === 'token' && isWrapping(caller.token) ? caller.namespace : undefined
  if (operation.follows === 'lease') return homeOfLease(captures['lease_id'] ?? memberOf(input, 'lease_id'), namespaces)
  const named = memberOf(input, 'token')
  if (operation.follows === 'named' && typeof named === 'string' && named !== '') return namespaces.byId(suffixOf(named))
  return caller.kind === 'token' ? caller.namespace : undefined
}

/** A lease id of another namespace than the root's ends in its id. */
const SUFFIX = /\.([0-9A-Za-z]{6})$/

function homeOfLease(named: unknown, namespaces: NamespaceTable): NamespaceRecord | undefined {
  const id = typeof named === 'string' ? SUFFIX.exec(named)?.[1] : undefined
  return id === undefined ? undefined : namespaces.byId(id)
}
