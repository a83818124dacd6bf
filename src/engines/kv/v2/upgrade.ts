/**
 * Converts secrets from the layout of version 1 to that of version 2, in commits of limited size. Until a secret is converted, operations
 * read and change it as if it were already converted.
 *
 * After the commit that tuned the mount to version 2, no write can use the layout of version 1: every such write expects the mount record
 * that this commit replaced.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { UPGRADE } from '../../../core/mount/upgrade.ts'
import { loadAll } from '../../../core/transaction/load-all.ts'
import { SECRET } from '../v1/secret.ts'
import { ensureConverted, findKey } from './key.ts'

/** Limits the size of a commit: the conversion of one secret makes two reads and three writes. */
const SECRETS_PER_COMMIT = 20
/** The limit of characters per commit. The secret that exceeds the limit is still converted in the same commit. */
const ENOUGH_CHARACTERS = 1_000_000

/** Converts as many secrets as fit into one commit, and schedules the next run if it found any. */
export function upgradeSome(tx: Tx): void {
  const paths = tx.listAbandoned(SECRET, '', SECRETS_PER_COMMIT)
  let characters = 0
  for (const [path, found] of loadAll(paths, (one) => [one, findKey(tx, one)] as const)) {
    if (characters > ENOUGH_CHARACTERS) break
    if (found?.old !== undefined) ensureConverted(tx, path, found)
    // The key already has a record in the layout of version 2, so the old record is obsolete.
    else tx.delete(SECRET, path)
    characters += found?.old?.length ?? 0
  }
  if (paths.length > 0) tx.due('housekeeping', UPGRADE, { to: tx.now })
}
