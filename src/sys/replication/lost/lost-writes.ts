/** Reads the quarantine. */
import { rfc3339 } from '../../../core/base/clock.ts'
import { invalid } from '../../../core/base/errors.ts'
import { MAX_OPS_PER_RECORD, readOp } from '../follow/read-records.ts'
import { deleteBelow } from '../state/delete-below.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { indexIn, listOf, objectOf, timeIn } from '../wire/message-members.ts'
import { unpack } from '../wire/unpack.ts'
import { piecesIn } from './quarantine.ts'

export interface LostChange {
  /** The storage key: record class, mount UUID or `core`, folder, and id. */
  readonly key: string
  /** Set if the record was deleted. The change then has no value. */
  readonly deleted?: true
  /** Only for the application: the content of the record, after one byte that names its format. */
  readonly value?: Uint8Array
}

export interface LostWrite {
  /** The epoch of the lost primary. */
  readonly epoch: number
  /** The index of the commit in the set's log, as counted by the lost primary. */
  readonly index: number
  /** The time of the commit, in RFC 3339 format. */
  readonly time: string
  /** The commit's changes of replicated records. In DR replication, cluster-local records are replicated as well. */
  readonly changes: readonly LostChange[]
}

export interface LostWrites {
  readonly records: readonly LostWrite[]
  /** The value of `after` for the next page; absent on the last page. */
  readonly next?: string
}

const NAME = /^[0-9]{16}-[0-9a-f]{32}$/

/** The size in bytes after which a page ends. The last record of the page may exceed it. */
const MAX_PAGE_BYTES = 1_048_576

/**
 * Returns a page of quarantined records, ordered by index.
 *
 * @param after The `next` of the previous page; empty for the first page.
 * @param values Whether to include the content of the records.
 */
export async function readLostWrites(host: SetHost, after: string, limit: number, values: boolean): Promise<LostWrites> {
  if (after !== '' && !NAME.test(after)) throw invalid('after: must be empty or the `next` of an earlier answer')
  const { store, clock, kind } = host
  const page = { delimiter: '/', limit: limit + 1, ...(after === '' ? {} : { after: `${after}/` }) }
  const names = await store.list(kind.quarantine, page)
  const records: LostWrite[] = []
  let bytes = 0
  let looked = 0
  for (const name of names.slice(0, limit)) {
    if (bytes >= MAX_PAGE_BYTES) break
    looked++
    const whole = await joinPieces(host, kind.quarantine + name)
    if (!whole) continue
    bytes += whole.length
    records.push(writeIn(kind, whole, values))
    whole.fill(0)
    await clock.sleep(0)
  }
  const last = names[looked - 1]
  return { records, ...(looked < names.length && last !== undefined ? { next: last.slice(0, -1) } : {}) }
}

/** Returns a record, joined from its pieces. If pieces are missing, the record is being written or deleted, so returns undefined. */
async function joinPieces({ store, clock }: SetHost, prefix: string): Promise<Uint8Array | undefined> {
  const names = await store.list(prefix)
  if (names.length === 0 || names.length < piecesIn(names[0] as string)) return undefined
  const pieces: Uint8Array[] = []
  for (const name of names) {
    const [found] = await store.getMany([prefix + name])
    if (!found) return undefined
    pieces.push(found.value.subarray(1))
    await clock.sleep(0)
  }
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const piece of pieces) {
    whole.set(piece, offset)
    offset += piece.length
    piece.fill(0)
  }
  return whole
}

function writeIn(kind: ReplicationKind, whole: Uint8Array, values: boolean): LostWrite {
  const record = objectOf(unpack(whole)?.value, 'record')
  return {
    epoch: indexIn(record, 'epoch'),
    index: indexIn(record, 'index'),
    time: rfc3339(timeIn(record, 'at')),
    changes: listOf(record, 'ops', MAX_OPS_PER_RECORD).map((item) => {
      const { key, value } = readOp(kind, objectOf(item, 'op'))
      if (!value) return { key, deleted: true }
      return values ? { key, value: value.slice() } : { key }
    }),
  }
}

/** Deletes the quarantined records and resets the count. */
export async function forgetLostWrites(host: SetHost): Promise<void> {
  await deleteBelow(host, host.kind.quarantine)
  const { store, clock, kind } = host
  for (;;) {
    const { value, version } = await kind.replicaProgress.read(store)
    const isCounted = value !== undefined && value.lost > 0
    const { ok } = await store.commit([
      ...(isCounted ? [kind.replicaProgress.put(store, { ...value, lost: 0 }, version)] : []),
      { op: 'del', key: kind.lostBefore.key },
    ])
    if (ok) return
    await clock.sleep(0)
  }
}
