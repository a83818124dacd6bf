/** GET sys/namespaces/:name and LIST sys/namespaces, as in Vault. */

import type { NamespaceRecord } from '../../core/contract/namespace.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { loadAllInGroups } from '../../core/transaction/load-all.ts'
import type { NamespaceResult } from './generated/api.ts'
import { childOf, NAMESPACE_NAME, NAMESPACE_RESULT, showNamespace } from './namespace-view.ts'

/**
 * @throws KernelError 400 if `name` is reserved or contains a slash, a space or a wildcard.
 * @throws KernelError 404 if the namespace does not exist.
 */
export const readNamespace = operation({
  kind: 'read',
  verb: 'GET',
  path: '/namespaces/+name',
  summary: 'Shows a namespace below this one.',
  fields: { name: NAMESPACE_NAME },
  returns: NAMESPACE_RESULT,
  run: (tx, { name }) => {
    const found = childOf(tx, name)
    return found && showNamespace(found)
  },
})

/** The estimated cost of showing a namespace. */
const SHOW_MICROSECONDS = 3

/** @throws no errors of its own. */
export const listNamespaces = operation({
  kind: 'read',
  verb: 'LIST',
  path: '/namespaces',
  summary: 'Lists the namespaces directly below this one.',
  fields: {},
  returns: {
    keys: f.json<readonly string[]>('Names with a trailing slash, in byte order.', { type: 'array' }),
    key_info: f.json<Readonly<Record<string, NamespaceResult>>>('The details of each namespace.'),
  },
  run: (tx) => {
    const { path } = tx.call.namespace
    const children = TOPOLOGY.of(tx)
      .namespaces.below(path)
      .filter((child) => child.path.indexOf('/', path.length) === child.path.length - 1)
    const show = (child: NamespaceRecord) => [child.path.slice(path.length), showNamespace(child)] as const
    const named = loadAllInGroups(tx, 'namespaces', children, show, SHOW_MICROSECONDS)
    return { keys: named.map(([name]) => name), key_info: Object.fromEntries(named) }
  },
})
