/**
 * Hands out the log to a secondary, from behind the index it has applied.
 */
import { EMPTY } from '../../../core/base/bytes.ts'
import { Slices } from '../../../core/base/slices.ts'
import type { Host } from '../../../core/transaction/host.ts'
import { positionOf } from '../log/folder.ts'
import { isDamage, isSent, type LoggedFrame, newestEntry, oldestBefore, readLog } from '../log/log-pages.ts'
import { type History, lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import { pack } from '../wire/packed.ts'

/** Bytes of values in one answer; of a larger record, the bytes of one piece. */
export const PIECE_BYTES = 1_048_576

/** Reading and opening a short record. */
const FRAME_MICROSECONDS = 30

/** A change as it crosses: values are opened here and sealed there, each by its own barrier. */
export interface SentOp {
  readonly key: string
  /** Undefined: deleted. */
  readonly value?: Uint8Array
}

/** One commit of the primary. */
export interface SentRecord {
  readonly index: number
  readonly ops: readonly SentOp[]
  /** Folders whose lists of names have changed. */
  readonly guards: readonly string[]
}

export interface Fetched {
  readonly records: readonly SentRecord[]
  /** Everything up to this index was looked at. */
  readonly to: number
  /** A piece of a record that is too large for one answer. */
  readonly piece?: { readonly bytes: Uint8Array; readonly offset: number; readonly total: number }
}

/** Undefined where the log does not go back that far. */
export async function fetchFrom(
  host: Host,
  { history, certificate }: Pick<Relation, 'history' | 'certificate'>,
  after: number,
  offset: number,
): Promise<Fetched | undefined> {
  // Behind a certificate there are records of this cluster alone.
  if (certificate && after >= certificate.index) return { records: [], to: after }
  const start = await entryAfter(host, history, after)
  if (start === undefined) return undefined
  // Writers who never pause would keep an answer that follows them until it is full.
  const newest = await newestEntry(host.store)
  const slices = new Slices(host.clock)
  const records: SentRecord[] = []
  let bytes = 0
  let to = after
  for (let entry = start; bytes < PIECE_BYTES && entry < newest; ) {
    const frames = await readLog(host.store, entry)
    if (!frames) return undefined
    for (const frame of frames) {
      entry = frame.entry
      const index = positionOf(frame, history)
      if (index === undefined || index <= after) continue
      const size = replicatedBytes(frame)
      if (bytes > 0 && bytes + size > PIECE_BYTES) return { records, to }
      const record = await sent(host, frame, index).catch((error: unknown) => {
        if (!isDamage(error)) throw error
        return 'damaged' as const
      })
      if (record === 'damaged') return undefined
      if (size > PIECE_BYTES) return pieceOf(record, offset, to)
      bytes += size
      to = index
      if (record) records.push(record)
    }
    if (frames.length === 0) break
    if (slices.spend(frames.length * FRAME_MICROSECONDS)) await slices.giveWay()
  }
  return { records, to: certificate && bytes < PIECE_BYTES ? Math.max(to, certificate.index) : to }
}

function pieceOf(record: SentRecord | undefined, offset: number, to: number): Fetched {
  const whole = record ? pack(record) : EMPTY
  const bytes = whole.slice(offset, offset + PIECE_BYTES)
  const total = whole.length
  whole.fill(0)
  return { records: [], to, piece: { bytes, offset, total } }
}

/** The entry behind which everything is newer than an index. */
async function entryAfter({ store, clock }: Host, history: History, after: number): Promise<number | undefined> {
  const { start } = lastOf(history)
  const newest = await newestEntry(store)
  if (after >= start && after - start <= newest) return after - start
  // The index is of an epoch that this cluster followed: its records say where they came from.
  for (let entry = 0, last: number | undefined; ; ) {
    const frames: readonly LoggedFrame[] | undefined = await readLog(store, entry === 0 ? await oldestBefore(store) : entry)
    if (!frames || frames.length === 0) return last
    for (const frame of frames) {
      const index = positionOf(frame, history)
      if (index !== undefined && index > after) return last ?? (index === after + 1 ? entry : undefined)
      entry = frame.entry
      if (index !== undefined) last = entry
    }
    await clock.sleep(0)
  }
}

const replicatedBytes = ({ ops }: LoggedFrame): number =>
  ops.reduce((sum, op) => sum + (isSent(op) ? op.key.length + (op.op === 'put' ? op.value.length : 0) : 0), 0)

/** Undefined for a commit of local records alone. */
export async function sent({ store }: Host, { ops }: LoggedFrame, index: number): Promise<SentRecord | undefined> {
  const changes = ops.filter(isSent)
  const guards = ops.flatMap(({ op, key }) => (op === 'guard' && key.startsWith('i/guard/r/') ? [key] : []))
  if (changes.length === 0) return undefined
  const opened = await store.openAll(changes.map((op) => (op.op === 'put' ? { ...op, version: 0 } : undefined)))
  return {
    index,
    ops: changes.map(({ key }, at) => (opened[at] ? { key, value: opened[at].value } : { key })),
    guards,
  }
}
