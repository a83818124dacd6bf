/**
 * Re-encrypts the records of former terms with the key of the active term. It walks over the whole store in commits of bounded size, and
 * requests continue to run meanwhile.
 *
 * Each commit also stores the position that it reached, so that a later call can continue there. Requests that write meanwhile already use
 * the active term. If a request writes to a record after the walk has read it, the commit of the walk fails, and the walk reads that page
 * again.
 */

import type { Barrier } from '../barrier/barrier.ts'
import { isDamage } from '../barrier/is-damage.ts'
import { RING_KEY } from '../barrier/key-ring.ts'
import { termOf } from '../barrier/record.ts'
import { combinedSignal } from '../base/combined-signal.ts'
import { KernelError } from '../base/errors.ts'
import type { LongWorkOptions, Progress } from '../base/progress.ts'
import { coreRecord } from '../contract/core-record.ts'
import { decodeRecord, withFormat } from '../contract/record-kind.ts'
import type { Entry, Op } from '../storage/port.ts'
import { RESTORED_KEY } from '../storage/restored-key.ts'
import { FORMAT_KEY } from '../storage/unfinished-store.ts'
import { coreRecordKey } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import { reframeLog } from './reframe-log.ts'
import { ROOT_KEY } from './root-key.ts'
import { SEAL_KEY } from './seal-record.ts'

/** The progress of a re-encryption, as the number of records examined so far. */
export interface ReencryptProgress extends Progress {
  /** The number of records that were encrypted again with the active term. */
  readonly reencrypted: number
  /** The number of records that could not be decrypted because they are damaged or were written by another program. They stay unchanged. */
  readonly failed: number
}

interface WalkPosition {
  /** The term of the key with which the records are encrypted again. */
  readonly term: number
  /** The storage key of the last record that was processed. */
  readonly after: string
  readonly done: number
  readonly reencrypted: number
  readonly failed: number
}

const POSITION = /* @__PURE__ */ coreRecord<WalkPosition>({ class: 'i', folder: 'rotation' })
const POSITION_KEY = /* @__PURE__ */ coreRecordKey(POSITION, 'walk')

const PAGE = 64
const PAGE_OF_NAMES = 1000
/** The maximum size of the values in a commit. A single larger value is committed alone. */
const MAX_COMMIT_BYTES = 4_194_304
const MAX_TRIES = 100

/**
 * Whether the walk encrypts the record again. False for records in clear text, for records that the barrier does not encrypt, and for the
 * record with the position of this walk. Also false for claims, which are rewritten so often that none keeps an old term for long.
 */
const isReencrypted = (key: string): boolean =>
  ![SEAL_KEY, RING_KEY, ROOT_KEY, FORMAT_KEY, POSITION_KEY, RESTORED_KEY].includes(key) && !key.startsWith('i/claim/')

/** @throws KernelError 503 if the kernel is sealed meanwhile. If `signal` is aborted, throws its reason. */
export async function reencrypt(
  host: Host,
  barrier: Barrier,
  { signal, onProgress }: LongWorkOptions<ReencryptProgress>,
): Promise<ReencryptProgress> {
  const { store, clock } = host
  const stop = signal ? combinedSignal(signal, host.env.closing) : host.env.closing
  const { term } = barrier.ring.active
  const total = await countKeys(host, stop)
  let position = (await readPosition(host, term)) ?? { term, after: '', done: 0, reencrypted: 0, failed: 0 }
  const progress = (): ReencryptProgress => {
    const { done, reencrypted, failed } = position
    return { done, total: Math.max(total, done), reencrypted, failed }
  }
  for (;;) {
    stop.throwIfAborted()
    const page = await nextPage(host, position)
    if (page.length === 0) break
    position = await advance(host, position, page, stop)
    onProgress?.(progress())
    await clock.sleep(0, stop)
  }
  await reframeLog(host, term, stop)
  await store.commit([{ op: 'del', key: POSITION_KEY }])
  return progress()
}

const nextPage = ({ store }: Host, { after }: WalkPosition): Promise<readonly Entry[]> =>
  store.page('', after === '' ? { limit: PAGE } : { after, limit: PAGE })

/** Processes a page in one commit. Makes no commit if no record of the page has an old term. */
async function advance(host: Host, from: WalkPosition, page: readonly Entry[], stop: AbortSignal): Promise<WalkPosition> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    stop.throwIfAborted()
    const entries = tries === 1 ? page : await nextPage(host, from)
    const { ops, to } = reencryptPage(host, from, entries)
    if (ops.length === 0 || (await commit(host, [...ops, positionOp(host, to)]))) return to
    await host.store.backOff(Math.min(tries, 6))
  }
  throw new KernelError('ERR_UNAVAILABLE', 'other processes keep writing to the same records; call reencrypt again')
}

/** Encrypts as many records of the page as fit into one commit. Returns the commit's writes, and the position after these records. */
function reencryptPage(
  { store }: Host,
  from: WalkPosition,
  entries: readonly Entry[],
): { readonly ops: readonly Op[]; readonly to: WalkPosition } {
  const ops: Op[] = []
  let to = from
  let bytes = 0
  for (const { key, value, version } of entries) {
    const found = isReencrypted(key) ? termOf(value) : undefined
    const old = found !== undefined && found < from.term
    if (old && bytes > 0 && bytes + value.length > MAX_COMMIT_BYTES) break
    to = { ...to, after: key, done: to.done + 1 }
    if (!old) continue
    const plain = decrypt(store.barrier, key, value)
    if (!plain) to = { ...to, failed: to.failed + 1 }
    else {
      bytes += value.length
      ops.push({ op: 'put', key, value: store.barrier.encode(key, plain), expect: version })
      plain.fill(0)
      to = { ...to, reencrypted: to.reencrypted + 1 }
    }
  }
  return { ops, to }
}

function decrypt(barrier: Host['store']['barrier'], key: string, value: Uint8Array): Uint8Array | undefined {
  try {
    return barrier.decode(key, value)
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}

/**
 * Commits the writes, and drops their keys from the cache. The cached values are still correct, but their versions have changed. A later
 * commit that expects a former version would conflict.
 */
async function commit({ store, cache, freshness }: Host, ops: readonly Op[]): Promise<boolean> {
  const keys = ops.flatMap((op) => ('key' in op ? [op.key] : []))
  try {
    const verdict = await store.commit(ops, { formOnly: true })
    if (verdict.ok) {
      cache.apply({ revision: verdict.revision, keys })
      freshness.committed(verdict.revision)
    }
    return verdict.ok
  } catch (error) {
    cache.apply({ revision: Number.POSITIVE_INFINITY, keys })
    throw error
  }
}

const positionOp = ({ store }: Host, position: WalkPosition): Op =>
  store.encryptedPut(POSITION_KEY, withFormat(POSITION.format, POSITION.encode(position)), undefined)

/** The stored position of an earlier walk. Undefined if there is none, or if that walk used a term that is no longer active. */
async function readPosition({ store }: Host, term: number): Promise<WalkPosition | undefined> {
  const [stored] = await store.getMany([POSITION_KEY])
  if (!stored) return undefined
  const position = decodeRecord(POSITION, stored.value)
  return position.term === term ? position : undefined
}

async function countKeys({ store }: Host, stop: AbortSignal): Promise<number> {
  let count = 0
  for (let after: string | undefined; ; ) {
    stop.throwIfAborted()
    const names = await store.list('', after === undefined ? { limit: PAGE_OF_NAMES } : { after, limit: PAGE_OF_NAMES })
    count += names.length
    if (names.length < PAGE_OF_NAMES) return count
    after = names.at(-1) as string
  }
}
