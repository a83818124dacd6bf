/**
 * Names that are unique in a namespace, in any case, and lead to an ID.
 */
import { invalid } from '../../core/base/errors.ts'
import type { RecordKind } from '../../core/contract/record-kind.ts'
import type { ConfigTx } from '../call.ts'
import { byName } from './records.ts'

export const idOfName = (tx: ConfigTx, names: RecordKind<string>, namespace: string, name: string): string | undefined =>
  tx.get(names, byName(namespace, name))

interface Naming {
  readonly names: RecordKind<string>
  readonly namespace: string
  readonly id: string
  /** What has the name, in a refusal. */
  readonly thing: string
}

/**
 * Gives a thing its name, in place of the one it had.
 * @throws KernelError 400 where another thing has it.
 */
export function takeName(tx: ConfigTx, { names, namespace, id, thing }: Naming, name: string, former?: string): void {
  const holder = idOfName(tx, names, namespace, name)
  if (holder !== undefined && holder !== id)
    throw invalid(`Invalid ${thing}: a ${thing} with the Name ${JSON.stringify(name)} already exists`)
  if (former !== undefined && former.toLowerCase() !== name.toLowerCase()) tx.delete(names, byName(namespace, former))
  if (holder === undefined) tx.put(names, byName(namespace, name), id)
}
