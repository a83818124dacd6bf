/** The names of namespaces, and how namespaces are shown, as in Vault. */
import { invalid } from '../../core/base/errors.ts'
import type { NamespaceRecord } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'

export const NAMESPACE_NAME = f.freeName('The name of the namespace, which is one segment, such as `team-a`.')

export const NAMESPACE_RESULT = {
  id: f.text("Six characters that the ids of the namespace's tokens and leases end with."),
  uuid: f.text('The UUID under which the records of the namespace are stored.'),
  path: f.text('The path of the namespace from the root, with a trailing slash.'),
  custom_metadata: f.json<Readonly<Record<string, string>>>('The custom metadata.'),
}

export const showNamespace = ({ id, uuid, path, custom_metadata }: NamespaceRecord) => ({ id, uuid, path, custom_metadata })

const RESERVED = ['root', 'sys', 'audit', 'auth', 'cubbyhole', 'identity', '.', '..']

/** The path of a child namespace, with a trailing slash. @throws KernelError 400 for an invalid name. */
export function childPath(tx: Tx, name: string): string {
  if (name.includes('/')) throw invalid('name: namespace name cannot contain /')
  if (RESERVED.includes(name)) throw invalid(`name: "${name}/" is a reserved path and cannot be used as a namespace name`)
  if (/\s/.test(name)) throw invalid('name: must not contain spaces')
  if (/[+*]/.test(name)) throw invalid('name: must not contain the wildcards + and *')
  return `${tx.call.namespace.path}${name}/`
}

/** Returns the direct child of the caller's namespace with the given name; undefined if there is no such namespace. */
export const childOf = (tx: Tx, name: string): NamespaceRecord | undefined =>
  TOPOLOGY.of(tx).namespaces.byPath(childPath(tx, name))
