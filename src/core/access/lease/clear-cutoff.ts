/** Cleans up after a cutoff: ends each lease and revokes each token that the cutoff covers, in commits of bounded size. */
import { coreRecord } from '../../contract/core-record.ts'
import type { Tx } from '../../contract/tx.ts'
import { loadAll } from '../../transaction/load-all.ts'
import { revokeStoredToken } from '../token/revoke.ts'
import { TOKEN } from '../token/token.ts'
import { type Cutoff, cutoffByNumber, removeCutoff } from './cutoff.ts'
import { CUTOFF_ITEM, endLease } from './end-lease.ts'
import { isTokenLease, LEASE_RECORD, type LeaseRecord } from './lease.ts'

/** The progress of a cleanup, stored at `l/core/ending-walk/<number>`. */
const WALK = /* @__PURE__ */ coreRecord<{ readonly after: string }>({ class: 'l', folder: 'ending-walk' })

/** The maximum number of leases that a commit processes. Each may be the lease of a token, and revoking a token takes six writes. */
const LEASES_PER_COMMIT = 16

interface CleanupStep {
  readonly done: boolean
  /** Keys of the leases that this step made invalid. Their engines must still revoke them. */
  readonly ended: readonly string[]
}

/** Schedules the cleanup, in the commit that adds the cutoff. */
export const scheduleCutoff = (tx: Tx, { number, at }: Cutoff): void => tx.due('lease', CUTOFF_ITEM + number, { to: at })

/** Processes the next leases at or below the cutoff's path. The last step removes the cutoff. */
export function clearCutoff(tx: Tx, number: number): CleanupStep {
  const ending = cutoffByNumber(tx, number)
  if (!ending) return { done: true, ended: [] }
  const { namespace, prefix, force } = ending
  const folder = prefix === '' ? `${namespace}/` : `${namespace}/${prefix}/`
  const after = tx.get(WALK, String(number))?.after
  // The list may include leases that are newer than the cutoff: `endOlderLeases` skips them.
  const names = tx.listAbandoned(LEASE_RECORD, folder, LEASES_PER_COMMIT, after)
  const keys = names.map((name) => folder + name)
  // The prefix of the cutoff may be a complete lease id. The list contains only leases below the prefix, so add this lease.
  if (after === undefined && prefix !== '') keys.unshift(`${namespace}/${prefix}`)
  const ended = endOlderLeases(tx, keys, number, force)
  const last = names.at(-1)
  tx.due('lease', CUTOFF_ITEM + number, { from: ending.at })
  if (names.length === LEASES_PER_COMMIT && last !== undefined) {
    tx.put(WALK, String(number), { after: last })
    scheduleCutoff(tx, ending)
    return { done: false, ended }
  }
  tx.delete(WALK, String(number))
  removeCutoff(tx, ending)
  return { done: true, ended }
}

function endOlderLeases(tx: Tx, keys: readonly string[], number: number, force: boolean): readonly string[] {
  const leases = loadAll(keys, (key) => tx.get(LEASE_RECORD, key))
  const older = loadAll(leases, (lease) => lease !== undefined && cutoffNumberOf(tx, lease) < number)
  const ended: string[] = []
  keys.forEach((key, index) => {
    const lease = leases[index]
    if (!lease || !older[index]) return
    if (isTokenLease(lease)) revokeStoredToken(tx, lease.token)
    else {
      endLease(tx, key, force)
      ended.push(key)
    }
  })
  return ended
}

const cutoffNumberOf = (tx: Tx, lease: LeaseRecord): number =>
  isTokenLease(lease) ? (tx.get(TOKEN, lease.token)?.era ?? 0) : lease.era
