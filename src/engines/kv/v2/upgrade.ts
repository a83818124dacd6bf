/**
 * What a mount kept as version 1, brought into the form of version 2, in commits of bounded size. Until it is done, each secret is read
 * and changed as if it were.
 *
 * From the commit on that tuned the mount nobody writes in the old form: every write of version 1 needs the mount's record as it was.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { UPGRADE } from '../../../core/mount/upgrade.ts'
import { gather } from '../../../core/transaction/gather.ts'
import { SECRET } from '../v1/secret.ts'
import { converted, findKey } from './key.ts'

/** Each is four writes and a read. */
const PER_COMMIT = 20
/** Characters; the one that goes beyond still goes along. */
const ENOUGH = 1_000_000

/** One step. */
export function upgradeSome(tx: Tx): void {
  const paths = tx.leftovers(SECRET, '', PER_COMMIT)
  let characters = 0
  for (const [path, found] of gather(paths, (one) => [one, findKey(tx, one)] as const)) {
    if (characters > ENOUGH) break
    if (found?.old !== undefined) converted(tx, path, found)
    // Something newer has its place.
    else tx.delete(SECRET, path)
    characters += found?.old?.length ?? 0
  }
  if (paths.length > 0) tx.due('housekeeping', UPGRADE, { to: tx.now })
}
