/**
 * What stays of a thing from its first write to its last, and what each write changes.
 */
import type { ConfigTx } from '../call.ts'
import { type IndexedTable, nextIndex } from '../index/counter.ts'
import { resolveNamespace, resolvePartition, type ScopeParameters } from '../scope.ts'
import { aclCallerOf } from './acl-caller.ts'
import type { AclRecordMeta } from './records.ts'
import { newAclId } from './uuid.ts'

/** The namespace that the request is about. @param all Whether that may be all of them. @throws KernelError 400 */
export const requestedNamespace = (tx: ConfigTx, input: ScopeParameters, all = false): string =>
  resolveNamespace(tx, aclCallerOf(tx), input, all)

export interface AclObjectIdentity {
  readonly ID: string
  readonly Namespace: string
  readonly Partition?: string
  /** Absent before the first write. */
  readonly CreateIndex?: number
}

/** A thing that is about to be made. */
export function newObjectIdentity(tx: ConfigTx, Namespace: string, input: ScopeParameters): AclObjectIdentity {
  const Partition = resolvePartition(tx, input)
  return { ID: newAclId(tx), Namespace, ...(Partition === undefined ? {} : { Partition }) }
}

/** Takes the index of this commit, which changes `table`. Call it once in a run. */
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
