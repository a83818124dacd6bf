import { EMPTY } from '../base/bytes.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { type Entropy, systemEntropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import { readOptions } from '../base/options.ts'
import type { LongWorkOptions, Progress } from '../base/progress.ts'
import { type BackupFrame, BackupWriter, readFrames, type StoredRecord } from './backup-format.ts'
import { pagesOf } from './pages.ts'
import type { Op, Revision, Storage } from './port.ts'
import { RESTORED_KEY } from './restored-key.ts'
import { readSnapshot } from './snapshot.ts'
import { FORMAT_KEY, splitIntoCommits, UnfinishedStore, unfinishedBy } from './unfinished-store.ts'

export interface BackupProgress extends Progress {
  /** The number of records so far. A record that changes during the backup is counted again. */
  readonly done: number
  /** The size of the backup so far in bytes. */
  readonly bytes: number
}

export interface BackupOptions extends LongWorkOptions<BackupProgress> {
  /** Default: the system clock; for backups of a kernel, the kernel's clock. */
  readonly clock?: Clock
}

export interface RestoreOptions extends BackupOptions {
  /** Default: the system's random generator. Used for commit ids. */
  readonly entropy?: Entropy
}

export interface RestoreResult {
  /** The revision of the store that was backed up: the backup shows all records as they were at this revision. */
  readonly revision: Revision
}

/** Implements `backupStorage`. */
export async function* makeBackup(storage: Storage, given: BackupOptions): AsyncGenerator<Uint8Array, void, undefined> {
  const options = readOptions('backupStorage', given, { clock: 1, signal: 1, onProgress: 1 })
  const stamp = await storage.get(FORMAT_KEY)
  if (stamp && unfinishedBy(stamp.value))
    throw preconditionError('the store to back up is an unfinished copy or restore: finish the copy or restore first')
  const writer = new BackupWriter()
  const head = writer.head()
  let [done, bytes] = [0, head.length]
  yield head
  const parts = readSnapshot(storage, options.clock ?? systemClock, options.signal)
  try {
    for (;;) {
      const part = await parts.next()
      const frame: BackupFrame = part.done ? { kind: 'end', revision: part.value } : part.value
      if (frame.kind === 'records') done += frame.entries.length
      const piece = writer.frame(frame)
      bytes += piece.length
      yield piece
      options.onProgress?.({ done, bytes })
      if (part.done) return
    }
  } finally {
    // If the reader stops early, the watch on the store ends, too.
    await parts.return(0)
  }
}

/** Implements `restoreStorage`. */
export async function restoreBackup(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  to: Storage,
  options: RestoreOptions,
): Promise<RestoreResult> {
  const {
    clock = systemClock,
    entropy = systemEntropy(),
    signal,
    onProgress,
  } = readOptions('restoreStorage', options, {
    clock: 1,
    entropy: 1,
    signal: 1,
    onProgress: 1,
  })
  const found = await to.get(FORMAT_KEY)
  const begun = found && unfinishedBy(found.value) === 'restore'
  if (!begun && (await to.list('', { limit: 1 })).length > 0)
    throw preconditionError('to: must be an empty store, or one with an unfinished restore')
  const frames = readFrames(source)
  try {
    // If the bytes are not a backup, this fails before anything is written.
    const first = (await frames.next()).value as BackupFrame
    const filling = await UnfinishedStore.begin(to, 'restore', found, { clock, entropy, ...(signal ? { signal } : {}) })
    const restore = new Restore(to, filling, clock, signal)
    if (begun) await restore.empty()
    for (let frame = first; ; frame = (await frames.next()).value as BackupFrame) {
      await clock.sleep(0, signal)
      if (frame.kind === 'end') {
        if (restore.isReplicated) await filling.commit([{ op: 'put', key: RESTORED_KEY, value: EMPTY }])
        await filling.finish(restore.stamp)
        return { revision: frame.revision }
      }
      await restore.take(frame)
      onProgress?.({ done: restore.done, bytes: restore.bytes })
    }
  } finally {
    await frames.return(undefined)
  }
}

/**
 * The prefixes of the claims and node records of processes that used the store when it was backed up. A restore omits these records,
 * because no process uses the restored store yet.
 */
const PROCESSES = ['i/claim/', 'i/replication/node/']

/** The storage key of the role record. Only a cluster in a replication set has this record. */
const ROLE_KEY = 'i/core/replication'

class Restore {
  /**
   * The format stamp (the record that contains the store's format) from the backup. It replaces the marker of the unfinished store when the
   * store is complete.
   */
  stamp: Uint8Array | undefined
  isReplicated = false
  done = 0
  bytes = 0
  readonly #to: Storage
  readonly #filling: UnfinishedStore
  readonly #clock: Clock
  readonly #signal: AbortSignal | undefined

  constructor(to: Storage, filling: UnfinishedStore, clock: Clock, signal: AbortSignal | undefined) {
    this.#to = to
    this.#filling = filling
    this.#clock = clock
    this.#signal = signal
  }

  async take(frame: Exclude<BackupFrame, { kind: 'end' }>): Promise<void> {
    if (frame.kind === 'restart') await this.empty()
    else if (frame.kind === 'deleted') await this.#remove(frame.keys)
    else await this.#put(frame.entries)
  }

  /** Deletes everything restored so far. */
  async empty(): Promise<void> {
    this.stamp = undefined
    for await (const { entries } of pagesOf(this.#to, this.#clock, this.#signal))
      await this.#remove(entries.map(({ key }) => key))
  }

  async #put(entries: readonly StoredRecord[]): Promise<void> {
    const ops: Op[] = []
    for (const { key, value } of entries) {
      if (key === FORMAT_KEY) this.stamp = value
      else if (!PROCESSES.some((prefix) => key.startsWith(prefix))) ops.push({ op: 'put', key, value })
      if (key === ROLE_KEY) this.isReplicated = true
      this.bytes += value.length
    }
    await this.#write(ops)
    this.done += entries.length
  }

  async #remove(keys: readonly string[]): Promise<void> {
    if (keys.includes(FORMAT_KEY)) this.stamp = undefined
    await this.#write(keys.flatMap((key) => (key === FORMAT_KEY ? [] : [{ op: 'del', key }])))
  }

  async #write(ops: readonly Op[]): Promise<void> {
    for (const some of splitIntoCommits(this.#to, ops)) await this.#filling.commit(some)
  }
}

const preconditionError = (message: string): KernelError => new KernelError('ERR_PRECONDITION', message)
