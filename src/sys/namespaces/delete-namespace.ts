/** DELETE sys/namespaces/:name, as in Vault. */

import { inUse } from '../../core/base/errors.ts'
import { NAMESPACE } from '../../core/contract/namespace.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Builder } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { guardedTables } from '../../core/mount/guarded-tables.ts'
import { NAMESPACE_JOB } from '../jobs.ts'
import { endDestinations } from '../sync/work/end-destinations.ts'
import { childPath, NAMESPACE_NAME } from './namespace-view.ts'

/**
 * @throws KernelError 400 if `name` is reserved or contains a slash, a space or a wildcard, or if the namespace contains other namespaces.
 *   An unknown namespace is not an error; the response then contains a warning.
 */
export const deleteNamespace = operation({
  kind: 'write',
  verb: 'DELETE',
  path: '/namespaces/+name',
  forwardable: true,
  summary: 'Deletes a namespace with everything in it. Requests are refused at once; background work deletes the records.',
  fields: { name: NAMESPACE_NAME },
  returns: {
    status: (f.text('`in-progress` while the records of the namespace are being deleted.') as Builder<'in-progress'>).optional(),
  },
  run: (tx, { name }) => {
    const path = childPath(tx, name)
    const { namespaces } = guardedTables(tx)
    const known = namespaces.byPath(path)
    if (!known) {
      tx.warn('requested namespace does not exist')
      return undefined
    }
    if (namespaces.below(path).length > 0) throw inUse(`name: cannot delete namespace ("${path}") containing child namespaces`)
    tx.delete(NAMESPACE, known.uuid)
    tx.event('namespace.deleted', { path })
    endDestinations(tx, known.uuid)
    tx.due('housekeeping', `${NAMESPACE_JOB}/${known.uuid}`, { to: tx.now })
    return { status: 'in-progress' as const }
  },
})
