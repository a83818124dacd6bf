/**
 * The quarantine for lost records. A record is lost if the primary that this cluster now follows never had it. The cluster removes lost
 * records from its data, but keeps them in the quarantine until an operator has inspected them.
 *
 * A record is stored in pieces at `i/replication/quarantine/<index>-<id>/<number of pieces>-<piece>`. The id is the id of the log frame, so
 * that a repetition after a crash writes the same keys.
 */

import { isDamage } from '../../../core/barrier/is-damage.ts'
import { EMPTY } from '../../../core/base/bytes.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import { withFormat } from '../../../core/contract/record-kind.ts'
import type { Op } from '../../../core/storage/port.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf } from '../../../core/transaction/pending-writes.ts'
import { recordOp, StaleClaimError } from '../follow/apply-records.ts'
import { entryBeforeOldest, isReplicatedFrame, isReplicatedOp, type LoggedFrame, readLog } from '../log/log-pages.ts'
import { positionOf } from '../log/tree-updater.ts'
import { toSentRecord } from '../serve/fetch.ts'
import { epochAt, type History } from '../state/history.ts'
import { DR, PERFORMANCE, type ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'
import { pack } from '../wire/packed.ts'

const INDEX_DIGITS = 16

const PIECE_DIGITS = 4

/** The maximum size of a piece. The limit of the storage may be lower. */
const MAX_PIECE_BYTES = 262_144

const MAX_OPS_PER_COMMIT = 100

const MAX_COMMIT_BYTES = 1_048_576

/** The range of lost records: all records after the index `fork`, up to the index `applied`. */
export interface LostRange {
  readonly history: History
  readonly fork: number
  readonly applied: number
}

/**
 * Writes the lost records that the log still contains to the quarantine.
 *
 * @returns The number of lost records, including those that the log no longer contains.
 * @throws StaleClaimError.
 */
export async function quarantineRecords(host: SetHost, { history, fork, applied }: LostRange, fence: Fence): Promise<number> {
  const { store, clock } = host
  const shelf = new QuarantineWriter(host, fence)
  let lost = 0
  let reached = fork
  for (let entry = await entryBeforeOldest(store); ; await clock.sleep(0)) {
    const frames = await readLog(store, entry)
    if (!frames || frames.length === 0) break
    for (const whole of frames) {
      const frame = withoutPerformanceRecords(host.kind, whole)
      entry = frame.entry
      const index = positionOf(host.kind, frame, history)
      if (index === undefined || index <= fork || index > applied) continue
      // If this cluster was a secondary, one log entry may contain several records of the primary. The skipped indexes count as lost too.
      const place = host.kind.placeOf(frame)
      const isOwn = place !== undefined && 'origin' in place
      const counts = isReplicatedFrame(host.kind, frame)
      lost += isOwn ? index - reached - 1 + Number(counts) : index - reached
      reached = index
      if (counts) await shelf.add(frame, { epoch: epochAt(history, index), index })
    }
  }
  await shelf.flush()
  return lost + Math.max(0, applied - reached)
}

/** Removes the changes that a DR primary received from its performance primary. They are not lost, because the performance primary has them. */
function withoutPerformanceRecords(kind: ReplicationKind, frame: LoggedFrame): LoggedFrame {
  const { position: place, dr, ops } = frame
  const isServed = kind === DR && dr !== undefined && 'origin' in dr && place !== undefined && 'index' in place
  return isServed ? { ...frame, ops: ops.filter((op) => !isReplicatedOp(PERFORMANCE, op)) } : frame
}

class QuarantineWriter {
  readonly #host: SetHost
  readonly #fence: Fence
  #ops: Op[] = []
  #bytes = 0

  constructor(host: SetHost, fence: Fence) {
    this.#host = host
    this.#fence = fence
  }

  async add(frame: LoggedFrame, { epoch, index }: { readonly epoch: number; readonly index: number }): Promise<void> {
    const record = await toSentRecord(this.#host, frame, index).catch((error: unknown) => {
      if (isDamage(error)) return undefined
      throw error
    })
    if (!record) return
    const whole = pack({ epoch, index, at: frame.at, ops: record.ops })
    for (const { value = EMPTY } of record.ops) value.fill(0)
    const { maxValueBytes } = this.#host.store.storage.caps
    const most = Math.min(MAX_PIECE_BYTES, maxValueBytes >> 1)
    const count = Math.ceil(whole.length / most)
    const prefix = `${this.#host.kind.quarantine}${padded(index, INDEX_DIGITS)}-${toHex(frame.id)}/${padded(count, PIECE_DIGITS)}-`
    try {
      for (let piece = 0; piece < count; piece++)
        await this.#put(prefix + padded(piece, PIECE_DIGITS), whole.subarray(piece * most, (piece + 1) * most))
    } finally {
      whole.fill(0)
    }
  }

  async #put(key: string, bytes: Uint8Array): Promise<void> {
    const value = withFormat(1, bytes)
    this.#ops.push(await recordOp(this.#host, key, value))
    value.fill(0)
    this.#bytes += bytes.length
    if (this.#ops.length >= MAX_OPS_PER_COMMIT || this.#bytes >= MAX_COMMIT_BYTES) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#ops.length === 0) return
    const { ok } = await this.#host.store.commit([...this.#ops, ...checksOf([this.#fence])])
    if (!ok) throw new StaleClaimError()
    this.#ops = []
    this.#bytes = 0
    await this.#host.clock.sleep(0)
  }
}

/** Returns the number of pieces of a record, given the name of one piece. */
export const piecesIn = (name: string): number => Number(name.slice(0, PIECE_DIGITS))

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0')
