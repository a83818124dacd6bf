/** Serves the log to a secondary, beginning after the index up to which the secondary has applied it. */

import { isDamage } from '../../../core/barrier/is-damage.ts'
import { EMPTY } from '../../../core/base/bytes.ts'
import { Slices } from '../../../core/base/slices.ts'
import type { Position } from '../../../core/log/role.ts'
import { filterCommit } from '../filters/filter-commit.ts'
import type { SecondaryScope } from '../filters/secondary-scopes.ts'
import { entryBeforeOldest, isReplicatedOp, type LoggedFrame, readLog } from '../log/log-pages.ts'
import { positionOf } from '../log/tree-updater.ts'
import { domainOf } from '../state/domain.ts'
import { type History, lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import { isReplicatedKey, PERFORMANCE, type ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { pack } from '../wire/packed.ts'
import type { PerformancePositions } from './performance-positions.ts'

/** The maximum size, in bytes, of the records in one answer. A larger record is sent in pieces of this size. */
export const PIECE_BYTES = 1_048_576

/** The estimated cost of reading and decrypting a short record. */
const FRAME_MICROSECONDS = 30

/**
 * A change as it is sent. The value is not encrypted by a barrier, because each cluster has a barrier of its own: the sender decrypts the
 * value and the receiver encrypts it again.
 */
export interface SentOp {
  readonly key: string
  /** The decrypted value; undefined if the record was deleted. */
  readonly value?: Uint8Array
}

/** One commit of the primary as it is sent to a secondary. */
export interface SentRecord {
  readonly index: number
  readonly ops: readonly SentOp[]
  /** The storage keys of guard records: one for each folder in which the commit has created or deleted names. */
  readonly guards: readonly string[]
  /** For DR secondaries: the position of this commit in the log of the performance set. */
  readonly served?: Position
}

export interface FetchResult {
  readonly records: readonly SentRecord[]
  /** The index of the newest record of this cluster when the answer was begun. */
  readonly head: number
  /** The index up to which the log was read. The secondary has nothing else to receive up to this index. */
  readonly to: number
  /** A piece of a record that is too large for one answer. `records` is then empty. */
  readonly piece?: { readonly bytes: Uint8Array; readonly offset: number; readonly total: number }
  /**
   * For filtered secondaries: the UUIDs of mounts and namespaces that were removed. The secondary must delete their data itself, because it
   * receives no further changes of them.
   */
  readonly gone?: readonly string[]
  /** The index at which the scope of the secondary changed. The secondary must compare all records and then continue after this index. */
  readonly turn?: number
}

/** The position after which a secondary requests records. */
export interface FetchRequest {
  readonly after: number
  /** The offset of the requested piece, in bytes, if the next record is sent in pieces. */
  readonly offset: number
  /**
   * The filter view under which the secondary received its data: the random token that is replaced whenever the secondary's path filter
   * changes.
   */
  readonly view: string
  /**
   * After every scope change up to this index, the secondary has compared all records, so only later scope changes require a comparison.
   */
  readonly turned: number
}

type SetPosition = Pick<Relation, 'history' | 'certificate'>

/** The sources from which an answer to a fetch is built. */
export interface FetchSources {
  readonly ends: SetPosition
  readonly positions: PerformancePositions | undefined
  /** Returns the current scope of the secondary. */
  readonly scope: () => Promise<SecondaryScope>
  /** The last known scope of the secondary, if it was unfiltered. It may be out of date. */
  readonly lastUnfiltered: SecondaryScope | undefined
  /** The number of the newest log entry. Later entries are not read, because otherwise continuous writers would keep the answer from ending. */
  readonly newest: number
}

/**
 * Returns the next records for a secondary. The scope of the secondary can change during the read. It is therefore read twice: after the
 * newest log entry was determined, and after all records were read. If it changed in between, the answer contains no records. For a
 * secondary that was unfiltered, the second read is sufficient.
 *
 * @returns Undefined if the log no longer contains all records after the requested position.
 */
export async function fetchFrom(host: SetHost, sources: FetchSources, request: FetchRequest): Promise<FetchResult | undefined> {
  const { after, view } = request
  const { newest, lastUnfiltered } = sources
  const scope = lastUnfiltered?.token === view ? lastUnfiltered : await sources.scope()
  const { history, certificate } = sources.ends
  const head = certificate?.index ?? lastOf(history).start + newest
  const changed = { records: [], to: after, turn: after, head }
  if (scope.token !== view) return changed
  const domains = new Set<string>()
  const found = await collectRecords(host, sources, request, { scope, domains })
  const later = await sources.scope()
  if (later.token !== view) return changed
  if (later !== scope || ![...domains].every((domain) => later.includes(domain))) return { records: [], to: after, head }
  return found && { ...found, head }
}

/** The part of the answer that is read from the log. */
type CollectedRecords = Omit<FetchResult, 'head'>

interface CollectOptions {
  readonly scope: SecondaryScope
  /** The domains of all records in the answer. */
  readonly domains: Set<string>
}

async function collectRecords(
  host: SetHost,
  { ends: { history, certificate }, positions, newest }: FetchSources,
  { after, offset, turned }: FetchRequest,
  { scope, domains }: CollectOptions,
): Promise<CollectedRecords | undefined> {
  // After the position in its step-down certificate, a former primary has written only local records, so there is nothing to send.
  if (certificate && after >= certificate.index) return { records: [], to: after }
  const start = await logStartAfter(host, history, after, newest)
  if (start === undefined) return undefined
  const slices = new Slices(host.clock)
  const records: SentRecord[] = []
  const removed: string[] = []
  const gone = scope.isPartial ? { gone: removed } : {}
  let bytes = 0
  let to = after
  for (let { entry, page } = start; bytes < PIECE_BYTES && entry < newest; page = undefined) {
    const frames = page ?? (await readLog(host.store, entry))
    if (!frames) return undefined
    for (const frame of frames) {
      entry = frame.entry
      const index = positionOf(host.kind, frame, history)
      if (index === undefined && to < lastOf(history).start && changesOutsideIndexes(host.kind, frame))
        return to > after ? { records, to, ...gone } : undefined
      if (index === undefined || index <= after) continue
      // The scope was read when `newest` was the last entry, so it may not apply to later entries.
      if (entry > newest) break
      const passed = await filterCommit(host, scope, frame).catch(damagedOr)
      if (passed === DAMAGED) return undefined
      if (passed.crossesFilter && index > turned) return { records, to, ...gone, turn: index }
      const size = sentBytes(host.kind, passed)
      if (bytes > 0 && bytes + size > PIECE_BYTES) return { records, to, ...gone }
      const record = await toSentRecord(host, passed, index, positions?.of(frame)).catch(damagedOr)
      if (record === DAMAGED) return undefined
      if (scope.isPartial) for (const { key } of record?.ops ?? []) domains.add(domainOf(key))
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

function pieceOf(record: SentRecord | undefined, offset: number, to: number): CollectedRecords {
  const whole = record ? pack(record) : EMPTY
  const bytes = whole.slice(offset, offset + PIECE_BYTES)
  const total = whole.length
  whole.fill(0)
  return { records: [], to, piece: { bytes, offset, total } }
}

/** The number of the log entry after which to read, and the first page of frames after it, if the page was already read. */
interface LogStart {
  readonly entry: number
  readonly page: readonly LoggedFrame[] | undefined
}

/**
 * Returns where to read the log, so that all records after the index `after` are read. Returns undefined if the log does not contain all of
 * these records.
 *
 * Changes from a Merkle sync have no log index. A secondary whose position is before these changes lacks them and must compare trees.
 */
async function logStartAfter(
  { store, clock, kind }: SetHost,
  history: History,
  after: number,
  newest: number,
): Promise<LogStart | undefined> {
  const { start } = lastOf(history)
  const next = after - start
  if (next === newest) return { entry: next, page: [] }
  // Read the page first: if the log still contains the next entry, it is not necessary to search for the oldest one.
  const page = next >= 0 && next < newest ? await readLog(store, next) : undefined
  if (page) return { entry: next, page }
  const oldest = await entryBeforeOldest(store)
  // The log contains the next entry, but it is damaged.
  if (next >= oldest && next < newest) return undefined
  // The index belongs to an earlier epoch, in which this cluster was a secondary. The log entries of that epoch contain the index that the
  // primary of that epoch assigned, so search for it.
  for (let entry = oldest, last: number | undefined; ; ) {
    const frames = await readLog(store, entry)
    if (!frames || frames.length === 0) return last === undefined ? undefined : { entry: last, page: undefined }
    for (const frame of frames) {
      const index = positionOf(kind, frame, history)
      if (index !== undefined && index > after) {
        // Entries before the epoch are part of its initial state.
        const isFirst = after >= start && index > start && (entry > oldest || oldest === 0)
        const found = last ?? (isFirst || index === after + 1 ? entry : undefined)
        return found === undefined ? undefined : { entry: found, page: undefined }
      }
      entry = frame.entry
      if (index !== undefined) last = entry
      else if (changesOutsideIndexes(kind, frame)) last = undefined
    }
    await clock.sleep(0)
  }
}

/**
 * Whether a frame that has no index changes replicated records. A takeover writes the performance role in such a frame, but this does not
 * count, because the role is written again in the new epoch.
 */
const changesOutsideIndexes = (kind: ReplicationKind, { ops }: LoggedFrame): boolean =>
  ops.some((op) => isReplicatedOp(kind, op) && op.key !== PERFORMANCE.relationKey)

const sentBytes = (kind: ReplicationKind, { ops }: Pick<LoggedFrame, 'ops'>): number =>
  ops.reduce((sum, op) => sum + (isReplicatedOp(kind, op) ? op.key.length + (op.op === 'put' ? op.value.length : 0) : 0), 0)

/** The prefix of the storage keys of guard records. The rest of such a key is the storage key of the guarded folder. */
export const GUARDS = 'i/guard/'

/** Returns the replicated changes of a commit with their values decrypted. Returns undefined if the commit contains only local records. */
export async function toSentRecord(
  { store, kind }: SetHost,
  { ops }: Pick<LoggedFrame, 'ops'>,
  index: number,
  served?: Position,
): Promise<SentRecord | undefined> {
  const changes = ops.filter((change) => isReplicatedOp(kind, change))
  const guards = ops.flatMap(({ op, key }) => (op === 'guard' && isReplicatedKey(kind, key.slice(GUARDS.length)) ? [key] : []))
  if (changes.length === 0) return undefined
  const opened = await store.decryptAll(changes.map((op) => (op.op === 'put' ? { ...op, version: 0 } : undefined)))
  return {
    index,
    ops: changes.map(({ key }, at) => (opened[at] ? { key, value: opened[at].value } : { key })),
    guards,
    ...(served ? { served } : {}),
  }
}
