/** Operations on tokens and leases run in the namespace of that token or lease, wherever they are called, as in Vault. */
import { isWrapping } from '../access/policies.ts'
import { suffixOf } from '../access/token/token-id.ts'
import type { Caller } from '../contract/caller.ts'
import type { NamespaceRecord } from '../contract/namespace.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { Values } from '../field/parse.ts'
import { memberOf } from '../json/wide-object.ts'
import type { NamespaceTable } from '../mount/namespace-table.ts'

/**
 * The namespace that an operation runs in and is authorized in; undefined if it runs where it is called.
 * @param input Captures of the path take precedence over it. A token without a namespace suffix belongs to the root.
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

/** The lease ids of namespaces other than the root end in the namespace's id. */
const SUFFIX = /\.([0-9A-Za-z]{6})$/

function leaseNamespace(named: unknown, namespaces: NamespaceTable): NamespaceRecord | undefined {
  const id = typeof named === 'string' ? SUFFIX.exec(named)?.[1] : undefined
  return id === undefined ? undefined : namespaces.byId(id)
}
