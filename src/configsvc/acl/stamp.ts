/** The members of ACL records that are set by the service: identity, namespace, partition and indexes. */
import type { ConfigTx } from '../call.ts'
import { type IndexedTable, nextIndex } from '../index/counter.ts'
import { resolveNamespace, resolvePartition, type ScopeParameters } from '../scope.ts'
import { aclCallerOf } from './acl-caller.ts'
import type { AclRecordMeta } from './records.ts'
import { newAclId } from './uuid.ts'

/** The namespace of the request. @param all Whether `*`, which means all namespaces, is allowed. @throws KernelError 400 */
export const requestedNamespace = (tx: ConfigTx, input: ScopeParameters, all = false): string =>
  resolveNamespace(tx, aclCallerOf(tx), input, all)

export interface AclObjectIdentity {
  readonly ID: string
  readonly Namespace: string
  readonly Partition?: string
  /** Absent before the record is first written. */
  readonly CreateIndex?: number
}

/** The identity of a new record. */
export function newObjectIdentity(tx: ConfigTx, Namespace: string, input: ScopeParameters): AclObjectIdentity {
  const Partition = resolvePartition(tx, input)
  return { ID: newAclId(tx), Namespace, ...(Partition === undefined ? {} : { Partition }) }
}

/**
 * Returns the members that the service sets in a record, with the index of this commit. Call it once per transaction, because it calls
 * `nextIndex`. @param table The table that the commit changes.
 */
export function stampIndexes(
  tx: ConfigTx,
  table: IndexedTable,
  lasting: AclObjectIdentity,
): AclRecordMeta & { readonly ID: string } {
  const { ID, Namespace, Partition } = lasting
  const index = nextIndex(tx, table)
  return {
    ID,
    Namespace,
    ...(Partition === undefined ? {} : { Partition }),
    CreateIndex: lasting.CreateIndex ?? index,
    ModifyIndex: index,
  }
}
