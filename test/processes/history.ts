/** The observations of several processes on the registers of one store, and their check. */
import { createKernel } from '../../src/index.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { firstFault, type Timed } from './linearizable.ts'
import { firstOutdated, REGISTER, type RegisterOp } from './registers.ts'
import { openStorage, SEAL } from './where.ts'
import type { Event } from './worker.child.ts'

/** The difference between the clock that times the calls and the clock of the kernels, in whole milliseconds. */
const ROUNDING = 2

export async function prepare(where: StoreAt): Promise<void> {
  const { storage, close } = openStorage(where)
  const kernel = await createKernel({ storage, seal: SEAL, initialize: true })
  await kernel.mounts.createMount({ path: 'registers/', type: 'kv', options: { version: '2' } })
  await kernel.transit.createKey({ name: 'shared' })
  await kernel.close()
  await close()
}

export type Read = Timed<RegisterOp & { readonly kind: 'read' }>

export const isHeldRead = ({ op, by }: Event): boolean => by === 'held' && op.kind === 'read'

/** The highest version in the results. */
const lastOf = (events: readonly Event[]): number => Math.max(0, ...events.map(({ op }) => op.version ?? 0))

/**
 * Completes the writes of unknown outcome to one register. Values are unique, so a write whose value was read has the version of that read.
 * Another write has taken effect only if a version without a known writer exists. If no such version exists, the write is left out, because
 * the search would otherwise try all of them in every order.
 */
function learnt(events: readonly Event[]): readonly Event[] {
  const versions = new Map<number, number>()
  for (const { op } of events) if (op.kind === 'read') versions.set(op.value, op.version)
  const known = events.map((event): Event => {
    const { op } = event
    if (op.kind === 'read' || op.version !== undefined) return event
    return { ...event, end: Number.POSITIVE_INFINITY, op: { ...op, version: versions.get(op.value) } }
  })
  const written = new Set(known.flatMap(({ op }) => (op.kind === 'read' ? [] : [op.version])))
  const among = new Set(Array.from({ length: lastOf(known) }, (_, at) => at + 1).filter((version) => !written.has(version)))
  return known.flatMap((event): Event[] => {
    const { op } = event
    if (op.kind === 'read' || op.version !== undefined) return [event]
    const hasRoom = op.kind === 'write' ? among.size > 0 : among.has(op.expected + 1)
    return hasRoom ? [{ ...event, op: { ...op, among } }] : []
  })
}

/** The first call on a register that is impossible, or a read of a state that was older than `bound` milliseconds when the read began. */
export function faultOf(history: readonly Event[], register: number, bound: number): unknown {
  const events = learnt(history.filter((event) => event.register === register))
  const exact = events.filter((event) => !isHeldRead(event))
  const reads = events.filter(isHeldRead) as unknown as readonly Read[]
  return firstFault(REGISTER, exact) ?? firstOutdated(reads, exact, bound + ROUNDING)
}
