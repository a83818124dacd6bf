/**
 * How far a primary's records are acknowledged as `replication.ack` demands, so that a secondary which takes over can say what was.
 */
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import type { Acknowledgement } from './peer-acknowledgements.ts'

/** @param head The index of the newest record, which a primary without `sync` has acknowledged. */
export async function acknowledgedIndex(context: ReplicationContext, head: number): Promise<number> {
  const { ack } = context.options
  if (ack === undefined || ack === 'local') return head
  const { sync } = ack
  const own = await acknowledgedEntries(context)
  // Secondaries of either kind acknowledge replicated records.
  const replicated = highestAcknowledged(sync, [...own.held, ...(await acknowledgedEntries(context.otherKind)).held])
  const { kind } = context.host
  if (!kind.sends.includes('l/')) return own.start + replicated
  // Local records need acknowledgements of at most as many secondaries for disaster recovery as the set has.
  const known = (await context.server.peers.load()).flatMap(({ id, key, until }) => (key && until === undefined ? [id] : []))
  const local = typeof sync === 'number' ? Math.min(sync, known.length) : sync.filter((id) => known.includes(id))
  if (local === 0 || (typeof local !== 'number' && local.length === 0)) return head
  return own.start + Math.max(replicated, highestAcknowledged(local, own.held))
}

interface AcknowledgedEntry {
  readonly id: string
  /** Counted from the beginning of the epoch, in which the logs of both kinds have the same entries. */
  readonly entry: number
  readonly whole: boolean
}

async function acknowledgedEntries({
  membership,
  acknowledgements,
}: ReplicationContext): Promise<{ readonly start: number; readonly held: readonly AcknowledgedEntry[] }> {
  const relation = membership.mode === 'primary' ? (await membership.current())?.relation : undefined
  if (!relation) return { start: 0, held: [] }
  const { start, origin } = lastOf(relation.history)
  const ofEpoch = acknowledgements.all.filter((one: Acknowledgement) => one.origin === origin)
  return { start, held: ofEpoch.map(({ id, index, whole }) => ({ id, entry: index - start, whole })) }
}

/** The newest entry that enough secondaries hold; 0 if no entry has enough. */
function highestAcknowledged(sync: number | readonly string[], held: readonly AcknowledgedEntry[]): number {
  if (typeof sync !== 'number')
    return Math.min(...sync.map((id) => Math.max(0, ...held.flatMap((one) => (one.id === id ? [one.entry] : [])))))
  const entries = held.flatMap(({ whole, entry }) => (whole ? [entry] : [])).sort((a, b) => b - a)
  return Math.max(0, entries[sync - 1] ?? 0)
}
