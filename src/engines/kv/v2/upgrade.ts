/**
 * Converts the secrets of version 1 to the form of version 2, in commits of limited size. Until then, operations read and change old
 * secrets as if they were converted.
 *
 * After the commit that tuned the mount, nothing is written in the old form: every write of version 1 expects the mount record as it was
 * before.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { UPGRADE } from '../../../core/mount/upgrade.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import { SECRET } from '../v1/secret.ts'
import { ensureConverted, findKey } from './key.ts'

/** Each secret takes four writes and a read. */
const SECRETS_PER_COMMIT = 20
/** Characters per commit. The secret that exceeds the limit is still included. */
const ENOUGH_CHARACTERS = 1_000_000

/** Runs one step. */
export function upgradeSome(tx: Tx): void {
  const paths = tx.listAbandoned(SECRET, '', SECRETS_PER_COMMIT)
  let characters = 0
  for (const [path, found] of loadAll(paths, (one) => [one, findKey(tx, one)] as const)) {
    if (characters > ENOUGH_CHARACTERS) break
    if (found?.old !== undefined) ensureConverted(tx, path, found)
    // A newer record has replaced it.
    else tx.delete(SECRET, path)
    characters += found?.old?.length ?? 0
  }
  if (paths.length > 0) tx.due('housekeeping', UPGRADE, { to: tx.now })
}
