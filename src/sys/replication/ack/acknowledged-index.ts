/**
 * Computes the index up to which enough secondaries have acknowledged the primary's records. The option `replication.ack` defines how many, or
 * which, secondaries are enough. Secondaries store this index, so that a secondary that takes over can report how many acknowledged writes it
 * lacks.
 */
import type { ReplicationContext } from '../replication-context.ts'
import { lastOf } from '../state/history.ts'
import type { PeerAcknowledgement } from './peer-acknowledgements.ts'

/**
 * Returns the index of the newest record that enough secondaries have acknowledged.
 * @param head The index of the newest record. If no acknowledgements are required, all records up to `head` count as acknowledged.
 */
export async function acknowledgedIndex(context: ReplicationContext, head: number): Promise<number> {
  const { ack } = context.options
  if (ack === undefined || ack === 'local') return head
  const { sync } = ack
  const own = await acknowledgedEntries(context)
  // Replicated records may be acknowledged by secondaries of either kind.
  const replicated = highestAcknowledged(sync, [...own.held, ...(await acknowledgedEntries(context.otherKind)).held])
  const { kind } = context.host
  if (!kind.sends.includes('l/')) return own.start + replicated
  // Only DR secondaries can acknowledge cluster-local records, so the requirement is limited to the DR secondaries in the set.
  const known = (await context.server.peers.load()).flatMap(({ id, key, until }) => (key && until === undefined ? [id] : []))
  const local = typeof sync === 'number' ? Math.min(sync, known.length) : sync.filter((id) => known.includes(id))
  if (local === 0 || (typeof local !== 'number' && local.length === 0)) return head
  return own.start + Math.max(replicated, highestAcknowledged(local, own.held))
}

interface AcknowledgedEntry {
  readonly id: string
  /**
   * The position in the log, counted from the start of the epoch. The performance set and the DR set have the same entries within an epoch,
   * so these positions are comparable between the sets, whereas log indexes are not.
   */
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
  const ofEpoch = acknowledgements.all.filter((one: PeerAcknowledgement) => one.origin === origin)
  return { start, held: ofEpoch.map(({ id, index, whole }) => ({ id, entry: index - start, whole })) }
}

/** Returns the position within the epoch of the newest entry that enough secondaries have stored; 0 if there is no such entry. */
function highestAcknowledged(sync: number | readonly string[], held: readonly AcknowledgedEntry[]): number {
  if (typeof sync !== 'number')
    return Math.min(...sync.map((id) => Math.max(0, ...held.flatMap((one) => (one.id === id ? [one.entry] : [])))))
  const entries = held.flatMap(({ whole, entry }) => (whole ? [entry] : [])).sort((a, b) => b - a)
  return Math.max(0, entries[sync - 1] ?? 0)
}
