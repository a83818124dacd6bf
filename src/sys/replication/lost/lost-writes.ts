/**
 * What was kept apart, as it is shown, until it is forgotten.
 */
import { rfc3339 } from '../../../core/base/clock.ts'
import { invalid } from '../../../core/base/errors.ts'
import { MAX_OPS_PER_RECORD, readOp } from '../follow/read-records.ts'
import { deleteBelow } from '../state/delete-below.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { indexIn, listOf, objectOf, timeIn } from '../wire/message-members.ts'
import { unpack } from '../wire/packed.ts'
import { piecesIn } from './quarantine.ts'

export interface LostChange {
  /** Of the record in the store: its class, the mount's UUID or `core`, a folder, and an id. */
  readonly key: string
  /** Instead of a value. */
  readonly deleted?: true
  /** For the application alone: what the record held, behind one byte that names its format. */
  readonly value?: Uint8Array
}

export interface LostWrite {
  /** The epoch of the primary that is lost. */
  readonly epoch: number
  /** Its place in the log of the set, as that primary counted. */
  readonly index: number
  /** When it was committed, RFC 3339. */
  readonly time: string
  /** Of records of the set; those of one cluster alone are not lost. */
  readonly changes: readonly LostChange[]
}

export interface LostWrites {
  readonly records: readonly LostWrite[]
  /** Where the next page begins; absent on the last. */
  readonly next?: string
}

const NAME = /^[0-9]{16}-[0-9a-f]{32}$/

/** Bytes in one answer, unless a single record has more. */
const MAX_PAGE_BYTES = 1_048_576

/**
 * A page of them, in the order of their indexes.
 * @param after The `next` of the page before, or empty.
 * @param values Whether what the records held is shown.
 */
export async function readLostWrites(host: SetHost, after: string, limit: number, values: boolean): Promise<LostWrites> {
  if (after !== '' && !NAME.test(after)) throw invalid('after: must be the next of another answer')
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

/** Undefined unless all of its pieces are there: they are being written, or forgotten. */
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

/** The count begins anew, too. */
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
