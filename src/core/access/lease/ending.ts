/**
 * Endings: everything below a path is refused from one commit on, whatever there is below it.
 *
 * One small record numbers the endings and holds those that are not cleared up yet. Tokens and leases carry the number that was the last
 * when they were made; so an ending is about everything older below its path, and about nothing that is made there afterwards. Making
 * one reads the record in its commit, so none can slip past an ending that begins at the same time.
 */
import { invalid } from '../../base/errors.ts'
import { jsonRecord } from '../../contract/record-kind.ts'
import type { Tx } from '../../contract/tx.ts'

export interface Ending {
  readonly number: number
  /** The uuid of the namespace. */
  readonly namespace: string
  /** Whole segments, without a slash at the end; empty is everything in the namespace. */
  readonly prefix: string
  /** Leases go even where their engine fails. */
  readonly force: boolean
  /** Milliseconds: when the job that clears it up is due. */
  readonly at: number
}

export interface Endings {
  readonly last: number
  readonly open: readonly Ending[]
}

/** At `l/core/ending/all`; there from the beginning, so that caches hold it. */
export const ENDINGS = /* @__PURE__ */ jsonRecord<Endings>({ class: 'l', folder: 'ending' })
export const ALL = 'all'
export const NO_ENDINGS: Endings = /* @__PURE__ */ Object.freeze({ last: 0, open: Object.freeze([]) })

/** Every first use of a token goes through them. */
const MOST_OPEN = 1000

const all = (tx: Tx): Endings => tx.get(ENDINGS, ALL) ?? NO_ENDINGS

/** What a new token or lease carries. */
export const currentEra = (tx: Tx): number => all(tx).last

/**
 * Whether an ending has come over what was made at a path.
 * @param era As it was when that was made.
 */
export function isEnded(tx: Tx, namespace: string, path: string, era: number): boolean {
  const { last, open } = all(tx)
  return (
    era < last && open.some((ending) => era < ending.number && ending.namespace === namespace && isBelow(path, ending.prefix))
  )
}

export const endingNumbered = (tx: Tx, number: number): Ending | undefined => all(tx).open.find((each) => each.number === number)

/** @throws KernelError 400 where too many are being cleared up. */
export function beginEnding(tx: Tx, { delay, ...what }: Omit<Ending, 'number' | 'at'> & { readonly delay: number }): Ending {
  const { last, open } = all(tx)
  if (open.length >= MOST_OPEN) throw invalid('prefix: too many revocations are still being cleared up; tick() does that')
  const ending = { ...what, number: last + 1, at: tx.now + delay }
  tx.put(ENDINGS, ALL, { last: last + 1, open: [...open, ending] })
  return ending
}

/** All that it was about is marked by itself now. */
export function closeEnding(tx: Tx, { number }: Ending): void {
  const { last, open } = all(tx)
  tx.put(ENDINGS, ALL, { last, open: open.filter((each) => each.number !== number) })
}

const isBelow = (path: string, prefix: string): boolean =>
  prefix === '' || (path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/'))
