/** What several processes saw of registers on one store, and what is wrong with it. */
import { createKernel } from '../../src/index.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { firstFault, type Timed } from './linearizable.ts'
import { firstOutdated, REGISTER, type RegisterOp } from './registers.ts'
import { openStorage, SEAL } from './where.ts'
import type { Event } from './worker.child.ts'

/** Between the clock that calls are timed with and the one that kernels go by, in whole milliseconds. */
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

/** The last of any version that somebody was told of. */
const lastOf = (events: readonly Event[]): number => Math.max(0, ...events.map(({ op }) => op.version ?? 0))

/**
 * What is known of writes of which nobody was told, of one register. Values are written once, so one that was read has the version of the
 * read. Another one has taken effect only if there is a version that nobody else has written; without any it may be left out, and the
 * search, which would try all of them in every order, has an end.
 */
function learnt(events: readonly Event[]): readonly Event[] {
  const versions = new Map<number, number>()
  for (const { op } of events) if (op.kind === 'read') versions.set(op.value, op.version)
  const told = events.map((event): Event => {
    const { op } = event
    if (op.kind === 'read' || op.version !== undefined) return event
    return { ...event, end: Number.POSITIVE_INFINITY, op: { ...op, version: versions.get(op.value) } }
  })
  const written = new Set(told.flatMap(({ op }) => (op.kind === 'read' ? [] : [op.version])))
  const among = new Set(Array.from({ length: lastOf(told) }, (_, at) => at + 1).filter((version) => !written.has(version)))
  return told.flatMap((event): Event[] => {
    const { op } = event
    if (op.kind === 'read' || op.version !== undefined) return [event]
    const hasRoom = op.kind === 'write' ? among.size > 0 : among.has(op.expected + 1)
    return hasRoom ? [{ ...event, op: { ...op, among } }] : []
  })
}

/** The first thing of a register that cannot have been, or that was older than `bound` milliseconds when a read began. */
export function faultOf(history: readonly Event[], register: number, bound: number): unknown {
  const events = learnt(history.filter((event) => event.register === register))
  const exact = events.filter((event) => !isHeldRead(event))
  const reads = events.filter(isHeldRead) as unknown as readonly Read[]
  return firstFault(REGISTER, exact) ?? firstOutdated(reads, exact, bound + ROUNDING)
}
