/**
 * Clears up after an ending: marks everything it covers, one by one, in commits of bounded size.
 */
import { jsonRecord } from '../../contract/record-kind.ts'
import type { Tx } from '../../contract/tx.ts'
import { gather } from '../../transaction/gather.ts'
import { revokeStoredToken } from '../token/revoke.ts'
import { TOKEN } from '../token/token.ts'
import { type Cutoff, cutoffByNumber, removeCutoff } from './cutoff.ts'
import { CUTOFF_ITEM, endLease } from './end-lease.ts'
import { isTokenLease, LEASE, type LeaseRecord } from './lease.ts'

/** How far the clearing of an ending has advanced. At `l/core/ending-walk/<number>`. */
const WALK = /* @__PURE__ */ jsonRecord<{ readonly after: string }>({ class: 'l', folder: 'ending-walk' })

/** Ending a token takes six writes. */
const LEASES_PER_COMMIT = 16

export interface CleanupStep {
  readonly done: boolean
  /** Keys of leased secrets to be revoked now. */
  readonly ended: readonly string[]
}

/** Schedules the clearing job, in the commit of the ending. */
export const scheduleCutoff = (tx: Tx, { number, at }: Cutoff): void => tx.due('lease', CUTOFF_ITEM + number, { to: at })

/** Processes the next leases below the path; the last step removes the ending. */
export function clearCutoff(tx: Tx, number: number): CleanupStep {
  const ending = cutoffByNumber(tx, number)
  if (!ending) return { done: true, ended: [] }
  const { namespace, prefix, force } = ending
  const folder = prefix === '' ? `${namespace}/` : `${namespace}/${prefix}/`
  const after = tx.get(WALK, String(number))?.after
  // Leases added meanwhile are younger than the ending, so it does not matter whether the list has them.
  const names = tx.listAbandoned(LEASE, folder, LEASES_PER_COMMIT, after)
  const keys = names.map((name) => folder + name)
  // The prefix may itself be a whole lease id.
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
  const leases = gather(keys, (key) => tx.get(LEASE, key))
  const older = gather(leases, (lease) => lease !== undefined && cutoffNumberOf(tx, lease) < number)
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
