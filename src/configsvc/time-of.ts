/**
 * The time of the clock, for what is stored with it.
 */
import { KernelError } from '../core/base/errors.ts'
import type { ConfigTx } from './call.ts'

/** A date reaches this far from the epoch, less the longest time that is added to one here. */
const MAX_TIME_MS = 8_640_000_000_000_000 - 86_400_000

/** Whether a number of milliseconds since the epoch is a time that texts can show. */
const isTime = (ms: number): boolean => Number.isFinite(ms) && Math.abs(ms) <= MAX_TIME_MS

/** Milliseconds. @throws KernelError 503 if the clock shows no time */
export function timeOf({ now }: Pick<ConfigTx, 'now'>): number {
  if (!isTime(now)) throw new KernelError('ERR_UNAVAILABLE', 'the clock of this process shows no time: correct it and try again')
  return now
}
