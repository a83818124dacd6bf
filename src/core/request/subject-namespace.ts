/**
 * Finds the namespace for operations on tokens and leases. As in Vault, such an operation runs in the namespace of the token or lease,
 * whatever namespace the operation is called in.
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
 * Returns the namespace in which an operation is authorized and runs. Undefined means the namespace of the call.
 * @param input The parameters. A `lease_id` in `captures` takes precedence over a `lease_id` in `input`.
 */
export function subjectNamespace(
  operation: AnyOperation | undefined,
  input: Values,
  captures: Readonly<Record<string, string>>,
  caller: Caller,
  namespaces: NamespaceTable,
): NamespaceRecord | undefined {
  if (!operation?.runsInNamespaceOf) return undefined
  if (operation.runsInNamespaceOf === 'wrapping')
    return caller.kind === 'token' && isWrapping(caller.token) ? caller.namespace : undefined
  if (operation.runsInNamespaceOf === 'lease')
    return leaseNamespace(captures['lease_id'] ?? memberOf(input, 'lease_id'), namespaces)
  const named = memberOf(input, 'token')
  if (operation.runsInNamespaceOf === 'named' && typeof named === 'string' && named !== '')
    return namespaces.byId(suffixOf(named))
  return caller.kind === 'token' ? caller.namespace : undefined
}

/** A lease id ends with the namespace's id, except in the root namespace. */
const SUFFIX = /\.([0-9A-Za-z]{6})$/

function leaseNamespace(named: unknown, namespaces: NamespaceTable): NamespaceRecord | undefined {
  const id = typeof named === 'string' ? SUFFIX.exec(named)?.[1] : undefined
  return id === undefined ? undefined : namespaces.byId(id)
}
