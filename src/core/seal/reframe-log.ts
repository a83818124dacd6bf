/**
 * Encrypts the entries of the replication log again with the active term. Each frame contains the ciphertexts of a commit.
 */
import { isDamage } from '../barrier/is-damage.ts'
import { termOf } from '../barrier/record.ts'
import { encodeLogFrame, LOG, type LogFrame, readEntryHead, readFrame } from '../log/frame.ts'
import { decodeOps, type LoggedOp } from '../log/op-list.ts'
import type { Entry, Op } from '../storage/port.ts'
import type { Host } from '../transaction/host.ts'

const PAGE = 64

/** A frame with more entries than this is not rewritten, because one commit must write all entries of a frame. */
const MAX_FRAME_ENTRIES = 100

/** Rewrites the frames that have old terms. A frame that another process deletes or changes meanwhile is skipped. */
export async function reframeLog({ store, clock }: Host, term: number, stop: AbortSignal): Promise<void> {
  for (let after: string | undefined; ; ) {
    stop.throwIfAborted()
    const page = await store.page(`${LOG}/`, pageOf(after, PAGE))
    const [first] = page
    if (!first) return
    const { count, piece } = readEntryHead(first.value)
    const entries = page.length >= count ? page.slice(0, count) : await store.page(`${LOG}/`, pageOf(after, count))
    after = (entries.at(-1) ?? first).key
    if (piece === 0 && entries.length === count && count <= MAX_FRAME_ENTRIES) await reframe(store, entries, term)
    await clock.sleep(0, stop)
  }
}

const pageOf = (after: string | undefined, limit: number) => (after === undefined ? { limit } : { after, limit })

async function reframe(store: Host['store'], entries: readonly Entry[], term: number): Promise<void> {
  const sealed = readFrame(entries.map(({ value }) => value))
  const { id, at, position, dr } = sealed
  const ops = decodeOps(sealed, store.barrier.decode(sealed.name, sealed.list))
  if ((termOf(sealed.list) ?? term) >= term && !ops.some((op) => isOld(op, term))) return
  const frame: LogFrame = {
    id,
    at,
    position,
    dr,
    ops: ops.map((op) => (isOld(op, term) ? reencryptOp(store, op) : op)),
  }
  const seal = (name: string, list: Uint8Array) => store.barrier.encode(name, list)
  const puts = encodeLogFrame(frame, store.storage.caps.maxValueBytes, { seal }).map((value, index): Op => {
    const { key, version } = entries[index] as Entry
    return { op: 'put', key, value, expect: version }
  })
  await store.commit(puts, { formOnly: true })
}

function isOld(op: LoggedOp, term: number): op is Extract<LoggedOp, { op: 'put' }> {
  if (op.op !== 'put') return false
  const found = termOf(op.value)
  return found !== undefined && found < term
}

/**
 * Returns the write with its value encrypted again. A value that cannot be decrypted stays unchanged, just as `reencrypt` leaves such
 * records unchanged.
 */
function reencryptOp({ barrier }: Host['store'], op: Extract<LoggedOp, { op: 'put' }>): LoggedOp {
  try {
    const value = barrier.decode(op.key, op.value)
    const sealed = barrier.encode(op.key, value)
    value.fill(0)
    return { ...op, value: sealed }
  } catch (error) {
    if (isDamage(error)) return op
    throw error
  }
}
