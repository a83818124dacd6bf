/**
 * How far a primary's records are acknowledged as `replication.ack` demands, so that a secondary which takes over can say what was.
 */
import type { Center } from '../center.ts'
import { lastOf } from '../state/history.ts'
import type { Held } from './held.ts'

/** @param head The index of the newest record, which a primary without `sync` has acknowledged. */
export async function acknowledgedIndex(center: Center, head: number): Promise<number> {
  const { ack } = center.options
  if (ack === undefined || ack === 'local') return head
  const { sync } = ack
  const own = await entriesHeld(center)
  // Secondaries of either kind acknowledge replicated records.
  const replicated = reached(sync, [...own.held, ...(await entriesHeld(center.beside)).held])
  const { kind } = center.host
  if (!kind.sends.includes('l/')) return own.start + replicated
  // Local records need acknowledgements of at most as many secondaries for disaster recovery as the set has.
  const known = (await center.server.peers.load()).flatMap(({ id, key, until }) => (key && until === undefined ? [id] : []))
  const local = typeof sync === 'number' ? Math.min(sync, known.length) : sync.filter((id) => known.includes(id))
  if (local === 0 || (typeof local !== 'number' && local.length === 0)) return head
  return own.start + Math.max(replicated, reached(local, own.held))
}

interface HeldEntry {
  readonly id: string
  /** Counted from the beginning of the epoch, in which the logs of both kinds have the same entries. */
  readonly entry: number
  readonly whole: boolean
}

async function entriesHeld({
  membership,
  held,
}: Center): Promise<{ readonly start: number; readonly held: readonly HeldEntry[] }> {
  const relation = membership.mode === 'primary' ? (await membership.current())?.relation : undefined
  if (!relation) return { start: 0, held: [] }
  const { start, origin } = lastOf(relation.history)
  const ofEpoch = held.all.filter((one: Held) => one.origin === origin)
  return { start, held: ofEpoch.map(({ id, index, whole }) => ({ id, entry: index - start, whole })) }
}

/** The newest entry that enough secondaries hold; 0 if no entry has enough. */
function reached(sync: number | readonly string[], held: readonly HeldEntry[]): number {
  if (typeof sync !== 'number')
    return Math.min(...sync.map((id) => Math.max(0, ...held.flatMap((one) => (one.id === id ? [one.entry] : [])))))
  const entries = held.flatMap(({ whole, entry }) => (whole ? [entry] : [])).sort((a, b) => b - a)
  return Math.max(0, entries[sync - 1] ?? 0)
}
