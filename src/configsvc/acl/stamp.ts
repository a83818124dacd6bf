/**
 * What stays of a thing from its first write to its last, and what each write changes.
 */
import type { ConfigTx } from '../call.ts'
import { nextIndex, type Table } from '../index/counter.ts'
import { namespaceOf, type Placed, partitionOf } from '../scope.ts'
import { askerOf } from './asker.ts'
import type { Kept } from './records.ts'
import { newId } from './uuid.ts'

/** The namespace that the request is about. @param all Whether that may be all of them. @throws KernelError 400 */
export const requestedNamespace = (tx: ConfigTx, input: Placed, all = false): string => namespaceOf(tx, askerOf(tx), input, all)

export interface Lasting {
  readonly ID: string
  readonly Namespace: string
  readonly Partition?: string
  /** Absent before the first write. */
  readonly CreateIndex?: number
}

/** A thing that is about to be made. */
export function newThing(tx: ConfigTx, Namespace: string, input: Placed): Lasting {
  const Partition = partitionOf(tx, input)
  return { ID: newId(tx), Namespace, ...(Partition === undefined ? {} : { Partition }) }
}

/** Takes the index of this commit, which changes `table`. Call it once in a run. */
export function stamped(tx: ConfigTx, table: Table, lasting: Lasting): Kept & { readonly ID: string } {
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
