import { ROOT_NAMESPACE } from '../../../core/contract/namespace.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { TOPOLOGY } from '../../../core/mount/topology.ts'
import { parseExternalNameTemplate } from '../destination/name-template.ts'
import type { SyncDestination } from '../port.ts'
import { type Association, readAssociationId, readDestinationId } from '../records.ts'
import { shownType } from '../types.ts'
import type { NameInputs } from './external-name.ts'

/**
 * Returns the inputs of `externalName`, with the name template from the association's last `set`.
 * @throws KernelError 400 if the template is invalid.
 */
export function nameInputsOf(
  tx: Tx,
  id: string,
  { template, granularity, accessor }: Pick<Association, 'template' | 'granularity' | 'accessor'>,
  store: SyncDestination,
): NameInputs {
  const { destination, mount, path } = readAssociationId(id)
  const of = readDestinationId(destination)
  const topology = TOPOLOGY.of(tx)
  return {
    store,
    template: parseExternalNameTemplate(template, granularity),
    destination,
    type: shownType(tx.env, of.type),
    mount: { path: topology.holder(mount)?.record.path ?? '/', accessor },
    namespace: topology.namespaces.byUuid(of.namespace) ?? ROOT_NAMESPACE,
    path,
  }
}
