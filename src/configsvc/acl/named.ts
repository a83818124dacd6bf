/** Records with an ID and a name. The name is unique in its namespace regardless of case. A second record maps the name to the ID. */
import { alreadyExists, invalid, notFound } from '../../core/base/errors.ts'
import { foldName } from '../../core/base/fold-name.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import type { ConfigTx } from '../call.ts'
import { type IndexedTable, nextIndex } from '../index/counter.ts'
import { byId, byName } from './records.ts'
import type { AclObjectIdentity } from './stamp.ts'
import { isUuid } from './uuid.ts'

interface Named {
  readonly Name: string
}

export interface NamedKind<T extends Named = Named> {
  /** The noun in error messages. */
  readonly thing: string
  readonly table: IndexedTable
  readonly records: RecordKind<T>
  readonly names: RecordKind<string>
}

export const idOfName = (tx: ConfigTx, names: RecordKind<string>, namespace: string, name: string): string | undefined =>
  tx.get(names, byName(namespace, name))

/** @throws KernelError 400 if the ID is malformed or does not exist. */
export function requireById<T extends Named>(tx: ConfigTx, { thing, records }: NamedKind<T>, namespace: string, id: string): T {
  if (!isUuid(id)) throw invalid(`${thing} ID invalid UUID`)
  const known = tx.get(records, byId(namespace, id))
  if (!known) throw notFound(`Invalid ${thing}: cannot find ${thing.toLowerCase()} ${id}`, 400)
  return known
}

/**
 * Stores the mapping from the name to the record's ID, and removes the mapping of the former name.
 * @throws KernelError 400 if another record has the name.
 */
export function claimName(
  tx: ConfigTx,
  { thing, names }: NamedKind,
  { ID: id, Namespace: namespace }: AclObjectIdentity,
  name: string,
  former?: string,
): void {
  const holder = idOfName(tx, names, namespace, name)
  if (holder !== undefined && holder !== id)
    throw alreadyExists(`Invalid ${thing}: a ${thing} with the Name ${JSON.stringify(name)} already exists`)
  if (former !== undefined && foldName(former) !== foldName(name)) tx.delete(names, byName(namespace, former))
  if (holder === undefined) tx.put(names, byName(namespace, name), id)
}

/** Returns whether the record existed. */
export function deleteNamed(tx: ConfigTx, { table, records, names }: NamedKind, namespace: string, id: string): boolean {
  const known = tx.get(records, byId(namespace, id))
  if (!known) return false
  nextIndex(tx, table)
  tx.delete(records, byId(namespace, id))
  tx.delete(names, byName(namespace, known.Name))
  return true
}
