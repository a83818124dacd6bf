/** Reads the consistency mode and the wait from the query of a read. */
import { invalid } from '../../core/base/errors.ts'
import { parseGoDurationOrSeconds } from '../../core/base/go-duration.ts'
import type { Values } from '../../core/field/parse.ts'

export interface Wait {
  /** The read waits until the index of its table is higher than this. */
  readonly index: number
  readonly milliseconds: number
}

const DEFAULT_WAIT_MS = 300_000

export const MAX_BLOCKING_WAIT_MS = 600_000

const NANOSECONDS_PER_MS = 1_000_000n

const text = (query: Values, name: string): string | undefined => [query[name]].flat()[0] as string | undefined

/** The consistency mode, for the response header. @throws KernelError 400 if two modes are given. */
export function readConsistency(query: Values): 'leader' | 'stale' | 'consistent' {
  const [stale, consistent] = ['stale' in query, 'consistent' in query]
  if (stale && consistent) throw invalid('stale, consistent: must not both be given')
  return stale ? 'stale' : consistent ? 'consistent' : 'leader'
}

/** Undefined if the read does not wait. @throws KernelError 400 */
export function readWait(query: Values): Wait | undefined {
  const sent = text(query, 'index')
  const wait = text(query, 'wait')
  const milliseconds = wait ? Number(parseGoDurationOrSeconds(wait, 'wait') / NANOSECONDS_PER_MS) : DEFAULT_WAIT_MS
  if (!sent) return undefined
  if (!/^\d{1,20}$/.test(sent)) throw invalid('index: must be a whole number and must not be negative')
  const index = Number(sent)
  return index === 0 ? undefined : { index, milliseconds: Math.min(milliseconds || DEFAULT_WAIT_MS, MAX_BLOCKING_WAIT_MS) }
}
