/**
 * The background work of the service: what a tick runs for it.
 */
import type { Lane } from '../core/contract/lane.ts'
import type { Worker } from '../core/due/tick.ts'
import type { DueEntry } from '../core/transaction/due-entry.ts'
import type { Place } from '../core/transaction/place.ts'
import { clearExpired } from './acl/tokens/expiry.ts'
import { APP_CALL, type ConfigCall, type ConfigTx } from './call.ts'

type Work = (tx: ConfigTx, id: string) => void

/** By lane; an id tells what is to be done there. */
const WORK: Readonly<Partial<Record<Lane, Work>>> = { revocation: clearExpired }

/** Undefined for work that this release does not know. */
export function workerIn(place: Place, { lane }: DueEntry): Worker<ConfigCall> | undefined {
  const work = WORK[lane]
  if (!work) return undefined
  return {
    place,
    call: { ...APP_CALL, tick: {} },
    run(tx, id) {
      work(tx, id)
      return undefined
    },
  }
}
