/**
 * The background work of the service: what a tick runs for it.
 */
import type { Lane } from '../core/contract/lane.ts'
import type { Worker } from '../core/due/tick.ts'
import type { DueEntry } from '../core/transaction/due-entry.ts'
import type { Place } from '../core/transaction/place.ts'
import { clearMethod, METHOD_JOB } from './acl/auth-methods/clear-method.ts'
import { clearExpired } from './acl/tokens/expiry.ts'
import { APP_CALL, type ConfigCall, type ConfigTx } from './call.ts'

type Work = (tx: ConfigTx, id: string) => void

/** By the first segment of the id; the rest says what it is about. */
const HOUSEKEEPING: Readonly<Record<string, Work>> = { [METHOD_JOB]: clearMethod }

function keepHouse(tx: ConfigTx, id: string): void {
  const [topic = '', ...about] = id.split('/')
  const work = Object.hasOwn(HOUSEKEEPING, topic) ? HOUSEKEEPING[topic] : undefined
  if (work) work(tx, about.join('/'))
  else later('housekeeping')(tx, id)
}

const LATER_MS = 3_600_000

/** Work that this release does not know waits for one that does. */
const later =
  (lane: Lane): Work =>
  (tx, id) =>
    tx.due(lane, id, { to: tx.now + LATER_MS })

/** By lane; an id tells what is to be done there. */
const WORK: Readonly<Partial<Record<Lane, Work>>> = { housekeeping: keepHouse, revocation: clearExpired }

export function workerIn(place: Place, { lane }: DueEntry): Worker<ConfigCall> {
  const work = WORK[lane] ?? later(lane)
  return {
    place,
    call: { ...APP_CALL, tick: {} },
    run(tx, id) {
      work(tx, id)
      return undefined
    },
  }
}
