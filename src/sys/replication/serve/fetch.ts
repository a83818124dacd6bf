/**
 * Hands out the log to a secondary, from behind the index it has applied.
 */

import { isDamage } from '../../../core/barrier/is-damage.ts'
import { EMPTY } from '../../../core/base/bytes.ts'
import { Slices } from '../../../core/base/slices.ts'
import type { Position } from '../../../core/log/role.ts'
import { filterCommit } from '../filters/filter-commit.ts'
import type { SecondaryScope } from '../filters/secondary-scopes.ts'
import { entryBeforeOldest, isReplicatedOp, type LoggedFrame, newestEntry, readLog } from '../log/log-pages.ts'
import { positionOf } from '../log/tree-updater.ts'
import { domainOf } from '../state/domain.ts'
import { type History, lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import { isReplicatedKey, PERFORMANCE, type ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { pack } from '../wire/packed.ts'
import type { PerformancePositions } from './performance-positions.ts'

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
  /** For disaster recovery: the record's place among the clusters that serve. */
  readonly served?: Position
}

export interface FetchResult {
  readonly records: readonly SentRecord[]
  /** Everything up to this index was looked at. */
  readonly to: number
  /** A piece of a record that is too large for one answer. */
  readonly piece?: { readonly bytes: Uint8Array; readonly offset: number; readonly total: number }
  /** Mounts and namespaces that were removed, where not everything is to be had: nothing else is told of them. */
  readonly gone?: readonly string[]
  /** What is to be had changed, with the filter or at this index: what is held has to be compared. */
  readonly turn?: number
}

/** From where on, and as of which view. */
export interface FetchRequest {
  readonly after: number
  /** Of a record in pieces. */
  readonly offset: number
  /** The token of the view that the secondary holds its records as of. */
  readonly view: string
  /** Behind what changed up to this index everything was compared: it is a record like any other. */
  readonly turned: number
}

type SetPosition = Pick<Relation, 'history' | 'certificate'>

/** What an answer is made by. */
export interface FetchSources {
  readonly ends: SetPosition
  readonly positions: PerformancePositions | undefined
  /** What the secondary is to have, as of the call. */
  readonly scope: () => Promise<SecondaryScope>
}

/**
 * What a secondary is told next. It is judged by what holds behind the newest record that is looked at, and once more when all is read.
 * @returns undefined where the log does not go back that far.
 */
export async function fetchFrom(host: SetHost, sources: FetchSources, wish: FetchRequest): Promise<FetchResult | undefined> {
  // Writers who never pause would keep an answer that follows them until it is full.
  const newest = await newestEntry(host.store)
  const view = await sources.scope()
  const { after } = wish
  if (view.token !== wish.view) return { records: [], to: after, turn: after }
  const told = new Set<string>()
  const found = await collectRecords(host, sources, wish, { newest, view, told })
  const later = await sources.scope()
  if (later !== view || ![...told].every((domain) => later.includes(domain))) return { records: [], to: after }
  return found
}

interface CollectOptions {
  readonly newest: number
  readonly view: SecondaryScope
  /** Parts of the tree that something is told of. */
  readonly told: Set<string>
}

async function collectRecords(
  host: SetHost,
  { ends: { history, certificate }, positions }: FetchSources,
  { after, offset, turned }: FetchRequest,
  { newest, view, told }: CollectOptions,
): Promise<FetchResult | undefined> {
  // Behind a certificate there are records of this cluster alone.
  if (certificate && after >= certificate.index) return { records: [], to: after }
  const start = await entryAfter(host, history, after)
  if (start === undefined) return undefined
  const slices = new Slices(host.clock)
  const records: SentRecord[] = []
  const removed: string[] = []
  const gone = view.isPartial ? { gone: removed } : {}
  let bytes = 0
  let to = after
  for (let entry = start; bytes < PIECE_BYTES && entry < newest; ) {
    const frames = await readLog(host.store, entry)
    if (!frames) return undefined
    for (const frame of frames) {
      entry = frame.entry
      const index = positionOf(host.kind, frame, history)
      if (index === undefined && to < lastOf(history).start && changesOutsideIndexes(host.kind, frame))
        return to > after ? { records, to, ...gone } : undefined
      if (index === undefined || index <= after) continue
      // What is not to be had may have been decided behind the newest record that was looked for.
      if (entry > newest) break
      const passed = await filterCommit(host, view, frame).catch(damagedOr)
      if (passed === DAMAGED) return undefined
      if (passed.crossesFilter && index > turned) return { records, to, ...gone, turn: index }
      const size = sentBytes(host.kind, passed)
      if (bytes > 0 && bytes + size > PIECE_BYTES) return { records, to, ...gone }
      const record = await toSentRecord(host, passed, index, positions?.of(frame)).catch(damagedOr)
      if (record === DAMAGED) return undefined
      if (view.isPartial) for (const { key } of record?.ops ?? []) told.add(domainOf(key))
      removed.push(...passed.gone)
      if (size > PIECE_BYTES) return { ...pieceOf(record, offset, to), ...gone }
      bytes += size
      to = index
      if (record) records.push(record)
    }
    if (frames.length === 0) break
    if (slices.spend(frames.length * FRAME_MICROSECONDS)) await slices.giveWay()
  }
  return { records, to: certificate && bytes < PIECE_BYTES ? Math.max(to, certificate.index) : to, ...gone }
}

const DAMAGED = Symbol('a record that is damaged')

function damagedOr(error: unknown): typeof DAMAGED {
  if (isDamage(error)) return DAMAGED
  throw error
}

function pieceOf(record: SentRecord | undefined, offset: number, to: number): FetchResult {
  const whole = record ? pack(record) : EMPTY
  const bytes = whole.slice(offset, offset + PIECE_BYTES)
  const total = whole.length
  whole.fill(0)
  return { records: [], to, piece: { bytes, offset, total } }
}

/**
 * The entry behind which everything is newer than an index; undefined where the log does not have all of that.
 *
 * What a comparison brought stands at no index: whoever was behind it lacks what it stands for, and nothing tells what that is.
 */
async function entryAfter(host: SetHost, history: History, after: number): Promise<number | undefined> {
  const { store, clock, kind } = host
  const { start } = lastOf(history)
  const [newest, oldest] = [await newestEntry(store), await entryBeforeOldest(store)]
  if (after - start >= oldest && after - start <= newest) return after - start
  // The index is of an epoch that this cluster followed: its records say where they came from.
  for (let entry = oldest, last: number | undefined; ; ) {
    const frames = await readLog(store, entry)
    if (!frames || frames.length === 0) return last
    for (const frame of frames) {
      const index = positionOf(kind, frame, history)
      if (index !== undefined && index > after) {
        // Everything in front of its own epoch is what that one began with.
        const isFirst = after >= start && index > start && (entry > oldest || oldest === 0)
        return last ?? (isFirst || index === after + 1 ? entry : undefined)
      }
      entry = frame.entry
      if (index !== undefined) last = entry
      else if (changesOutsideIndexes(kind, frame)) last = undefined
    }
    await clock.sleep(0)
  }
}

/** Whether what is replicated was changed by something that stands at no index. What a takeover says of its part is said again in its epoch. */
const changesOutsideIndexes = (kind: ReplicationKind, { ops }: LoggedFrame): boolean =>
  ops.some((op) => isReplicatedOp(kind, op) && op.key !== PERFORMANCE.relationKey)

const sentBytes = (kind: ReplicationKind, { ops }: Pick<LoggedFrame, 'ops'>): number =>
  ops.reduce((sum, op) => sum + (isReplicatedOp(kind, op) ? op.key.length + (op.op === 'put' ? op.value.length : 0) : 0), 0)

/** In front of the key of a folder. */
export const GUARDS = 'i/guard/'

/** Undefined for a commit of records that stay here alone. */
export async function toSentRecord(
  { store, kind }: SetHost,
  { ops }: Pick<LoggedFrame, 'ops'>,
  index: number,
  served?: Position,
): Promise<SentRecord | undefined> {
  const changes = ops.filter((change) => isReplicatedOp(kind, change))
  const guards = ops.flatMap(({ op, key }) => (op === 'guard' && isReplicatedKey(kind, key.slice(GUARDS.length)) ? [key] : []))
  if (changes.length === 0) return undefined
  const opened = await store.openAll(changes.map((op) => (op.op === 'put' ? { ...op, version: 0 } : undefined)))
  return {
    index,
    ops: changes.map(({ key }, at) => (opened[at] ? { key, value: opened[at].value } : { key })),
    guards,
    ...(served ? { served } : {}),
  }
}
