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

export interface Ending {
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

export interface Endings {
  readonly last: number
  readonly open: readonly Ending[]
}

/** At `l/core/ending/all`; it exists from the beginning, so that caches hold it. */
export const ENDINGS = /* @__PURE__ */ jsonRecord<Endings>({ class: 'l', folder: 'ending' })
export const ALL = 'all'
export const NO_ENDINGS: Endings = /* @__PURE__ */ Object.freeze({ last: 0, open: Object.freeze([]) })

/** The limit is low because every first use of a token checks all open endings. */
const MOST_OPEN = 1000

const all = (tx: Tx): Endings => tx.get(ENDINGS, ALL) ?? NO_ENDINGS

/** The number that a new token or lease carries. */
export const currentEra = (tx: Tx): number => all(tx).last

/**
 * Whether an ending covers what was made at a path.
 * @param era The number that it carries from when it was made.
 */
export function isEnded(tx: Tx, namespace: string, path: string, era: number): boolean {
  const { last, open } = all(tx)
  return (
    era < last && open.some((ending) => era < ending.number && ending.namespace === namespace && isBelow(path, ending.prefix))
  )
}

export const endingNumbered = (tx: Tx, number: number): Ending | undefined => all(tx).open.find((each) => each.number === number)

/** @throws KernelError 400 where too many endings are being cleared up. */
export function beginEnding(tx: Tx, { delay, ...what }: Omit<Ending, 'number' | 'at'> & { readonly delay: number }): Ending {
  const { last, open } = all(tx)
  if (open.length >= MOST_OPEN) throw invalid('prefix: too many revocations are still being cleared up; tick() does that')
  const ending = { ...what, number: last + 1, at: tx.now + delay }
  tx.put(ENDINGS, ALL, { last: last + 1, open: [...open, ending] })
  return ending
}

/** Removes the ending, because everything it covers is marked individually. */
export function closeEnding(tx: Tx, { number }: Ending): void {
  const { last, open } = all(tx)
  tx.put(ENDINGS, ALL, { last, open: open.filter((each) => each.number !== number) })
}

const isBelow = (path: string, prefix: string): boolean =>
  prefix === '' || (path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'))
