/**
 * Converts the secrets of version 1 to the form of version 2, in commits of bounded size. Until the conversion is done,
 * operations read and change each secret as if it were converted.
 *
 * After the commit that tuned the mount nothing is written in the old form: every write of version 1 requires the mount's record
 * as it was.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { UPGRADE } from '../../../core/mount/upgrade.ts'
import { gather } from '../../../core/transaction/gather.ts'
import { SECRET } from '../v1/secret.ts'
import { ensureConverted, findKey } from './key.ts'

/** Secrets per commit; each takes four writes and a read. */
const SECRETS_PER_COMMIT = 20
/** Characters per commit; the secret that exceeds the limit is still included. */
const ENOUGH_CHARACTERS = 1_000_000

/** Runs one step. */
export function upgradeSome(tx: Tx): void {
  const paths = tx.listAbandoned(SECRET, '', SECRETS_PER_COMMIT)
  let characters = 0
  for (const [path, found] of gather(paths, (one) => [one, findKey(tx, one)] as const)) {
    if (characters > ENOUGH_CHARACTERS) break
    if (found?.old !== undefined) ensureConverted(tx, path, found)
    // A newer record has replaced it.
    else tx.delete(SECRET, path)
    characters += found?.old?.length ?? 0
  }
  if (paths.length > 0) tx.due('housekeeping', UPGRADE, { to: tx.now })
}
