/** How a namespace is shown and named (source: behaviour of the originals). */
import { invalid } from '../../core/base/errors.ts'
import type { NamespaceRecord } from '../../core/contract/namespace.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'

export const NAME = f.freeName('The name of the namespace, one segment, such as `team-a`.')

export const NAMESPACE_RESULT = {
  id: f.text('Six characters: what tokens made in it end in.'),
  uuid: f.text('What its records are kept under.'),
  path: f.text('From the root, with a slash at the end.'),
  custom_metadata: f.json<Readonly<Record<string, string>>>('What was written with it.'),
}

export const showNamespace = ({ id, uuid, path, custom_metadata }: NamespaceRecord) => ({ id, uuid, path, custom_metadata })

const RESERVED = ['root', 'sys', 'audit', 'auth', 'cubbyhole', 'identity', '.', '..']

/** The path of a child, with a trailing slash. @throws KernelError 400 for an invalid name. */
export function childPath(tx: Tx, name: string): string {
  if (name.includes('/')) throw invalid('name: namespace name cannot contain /')
  if (RESERVED.includes(name)) throw invalid(`name: "${name}/" is a reserved path and cannot be used as a namespace name`)
  if (/\s/.test(name)) throw invalid('name: must not contain spaces')
  if (/[+*]/.test(name)) throw invalid('name: must not contain the wildcards + and *')
  return `${tx.call.namespace.path}${name}/`
}

/** A direct child. */
export const childOf = (tx: Tx, name: string): NamespaceRecord | undefined =>
  TOPOLOGY.of(tx).namespaces.byPath(childPath(tx, name))
