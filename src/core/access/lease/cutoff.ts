/**
 * Cutoffs: one commit makes any number of older leases and tokens below a path invalid.
 *
 * A single record numbers the cutoffs and contains those that are not cleaned up yet. Each token and lease stores the number of the newest
 * cutoff at its creation. So a cutoff covers all older leases and tokens below its path and no newer ones. A commit that creates a token or
 * lease reads the record, so it conflicts with a concurrent new cutoff.
 */
import { invalid } from '../../base/errors.ts'
import { coreRecord } from '../../contract/core-record.ts'
import type { Tx } from '../../contract/tx.ts'

export interface Cutoff {
  readonly number: number
  /** The uuid of the namespace that the cutoff applies to. */
  readonly namespace: string
  /** A path of whole segments, without a slash at the end. Empty means the whole namespace. */
  readonly prefix: string
  /** Whether a lease is removed even if its engine fails to revoke it. */
  readonly force: boolean
  /** When the cleanup is due, in milliseconds since the epoch. */
  readonly at: number
}

interface CutoffTable {
  readonly last: number
  readonly open: readonly Cutoff[]
}

/** Stored at `l/core/ending/all`. The record exists in every store, so caches always contain it. */
export const CUTOFFS = /* @__PURE__ */ coreRecord<CutoffTable>({ class: 'l', folder: 'ending' })
export const CUTOFFS_ID = 'all'
export const NO_CUTOFFS: CutoffTable = /* @__PURE__ */ Object.freeze({ last: 0, open: Object.freeze([]) })

/** The limit is low because the first use of a token checks all cutoffs that are not cleaned up yet. */
const MAX_OPEN_CUTOFFS = 1000

const cutoffTable = (tx: Tx): CutoffTable => tx.get(CUTOFFS, CUTOFFS_ID) ?? NO_CUTOFFS

/** The number of the newest cutoff. A new token or lease stores it. */
export const lastCutoffNumber = (tx: Tx): number => cutoffTable(tx).last

/**
 * Whether a cutoff covers a token or lease at a path.
 * @param era The cutoff number that the token or lease stored at its creation.
 */
export function isCutOff(tx: Tx, namespace: string, path: string, era: number): boolean {
  const { last, open } = cutoffTable(tx)
  return (
    era < last && open.some((ending) => era < ending.number && ending.namespace === namespace && isBelow(path, ending.prefix))
  )
}

export const cutoffByNumber = (tx: Tx, number: number): Cutoff | undefined =>
  cutoffTable(tx).open.find((each) => each.number === number)

/** @throws KernelError 400 if too many cutoffs are not cleaned up yet. */
export function addCutoff(tx: Tx, { delay, ...what }: Omit<Cutoff, 'number' | 'at'> & { readonly delay: number }): Cutoff {
  const { last, open } = cutoffTable(tx)
  if (open.length >= MAX_OPEN_CUTOFFS)
    throw invalid('prefix: too many earlier revocations are not cleaned up yet; call tick() and retry')
  const ending = { ...what, number: last + 1, at: tx.now + delay }
  tx.put(CUTOFFS, CUTOFFS_ID, { last: last + 1, open: [...open, ending] })
  return ending
}

/** Removes a cutoff. Call it only after every covered lease was ended and every covered token was revoked. */
export function removeCutoff(tx: Tx, { number }: Cutoff): void {
  const { last, open } = cutoffTable(tx)
  tx.put(CUTOFFS, CUTOFFS_ID, { last, open: open.filter((each) => each.number !== number) })
}

const isBelow = (path: string, prefix: string): boolean =>
  prefix === '' || (path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'))
