/**
 * Endings: from one commit on, everything below a path is refused, however much it is.
 *
 * One small record numbers the endings and holds those not cleared up yet. Tokens and leases carry the last number at the time they were
 * made, so an ending covers everything older below its path and nothing made there afterwards. Making a token or lease reads the record
 * in its commit, so none can slip past an ending that begins at the same time.
 */
import { invalid } from '../../base/errors.ts'
import { jsonRecord } from '../../contract/record-kind.ts'
import type { Tx } from '../../contract/tx.ts'

export interface Cutoff {
  readonly number: number
  /** The uuid of the namespace. */
  readonly namespace: string
  /** Whole segments, without a slash at the end; empty means everything in the namespace. */
  readonly prefix: string
  /** Leases are removed even where their engine fails. */
  readonly force: boolean
  /** Milliseconds: when the clearing job is due. */
  readonly at: number
}

export interface CutoffTable {
  readonly last: number
  readonly open: readonly Cutoff[]
}

/** At `l/core/ending/all`; it exists from the beginning, so that caches hold it. */
export const CUTOFFS = /* @__PURE__ */ jsonRecord<CutoffTable>({ class: 'l', folder: 'ending' })
export const CUTOFFS_ID = 'all'
export const NO_CUTOFFS: CutoffTable = /* @__PURE__ */ Object.freeze({ last: 0, open: Object.freeze([]) })

/** The limit is low because every first use of a token checks all open endings. */
const MAX_OPEN_CUTOFFS = 1000

const cutoffTable = (tx: Tx): CutoffTable => tx.get(CUTOFFS, CUTOFFS_ID) ?? NO_CUTOFFS

/** The number that a new token or lease carries. */
export const lastCutoffNumber = (tx: Tx): number => cutoffTable(tx).last

/**
 * Whether an ending covers what was made at a path.
 * @param era The number that it carries from when it was made.
 */
export function isCutOff(tx: Tx, namespace: string, path: string, era: number): boolean {
  const { last, open } = cutoffTable(tx)
  return (
    era < last && open.some((ending) => era < ending.number && ending.namespace === namespace && isBelow(path, ending.prefix))
  )
}

export const cutoffByNumber = (tx: Tx, number: number): Cutoff | undefined =>
  cutoffTable(tx).open.find((each) => each.number === number)

/** @throws KernelError 400 where too many endings are being cleared up. */
export function addCutoff(tx: Tx, { delay, ...what }: Omit<Cutoff, 'number' | 'at'> & { readonly delay: number }): Cutoff {
  const { last, open } = cutoffTable(tx)
  if (open.length >= MAX_OPEN_CUTOFFS) throw invalid('prefix: too many revocations are still being cleared up; tick() does that')
  const ending = { ...what, number: last + 1, at: tx.now + delay }
  tx.put(CUTOFFS, CUTOFFS_ID, { last: last + 1, open: [...open, ending] })
  return ending
}

/** Removes the ending, because everything it covers is marked individually. */
export function removeCutoff(tx: Tx, { number }: Cutoff): void {
  const { last, open } = cutoffTable(tx)
  tx.put(CUTOFFS, CUTOFFS_ID, { last, open: open.filter((each) => each.number !== number) })
}

const isBelow = (path: string, prefix: string): boolean =>
  prefix === '' || (path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'))
