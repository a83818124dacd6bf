/**
 * Reads a whole store as it was at one moment, while other processes write to it.
 *
 * The store is read from the first key to the last, while a watch collects the keys that change. Then the changed keys are read again and
 * again: each time, those that have changed since the previous read. The snapshot is complete when no commit occurs during such a read.
 * Reading few keys is fast, so the snapshot ends even if there are many writes, and no writer has to stop.
 */
import type { Clock } from '../base/clock.ts'
import { KernelError } from '../base/errors.ts'
import { pagesOf } from './pages.ts'
import type { Change, Entry, Revision, Storage } from './port.ts'

/** A part of the snapshot. A later part replaces earlier parts with the same keys. */
export type SnapshotPart =
  | { readonly kind: 'records'; readonly entries: readonly Entry[] }
  | { readonly kind: 'deleted'; readonly keys: readonly string[] }
  /** Discard all earlier parts: the store no longer knows which keys have changed, so reading starts again. */
  | { readonly kind: 'restart' }

const MAX_ROUNDS = 200
const MAX_FULL_READS = 3
const KEYS_PER_READ = 128
/** The maximum number of times to wait {@link WAIT_MS} for the watch. */
const MAX_WAITS = 2500
const WAIT_MS = 4

/** @returns The revision of the snapshot: all parts together show the records as they were at this revision. */
export async function* readSnapshot(
  storage: Storage,
  clock: Clock,
  signal?: AbortSignal,
): AsyncGenerator<SnapshotPart, Revision> {
  const watch = new ChangeCollector(storage, clock, signal)
  await watch.start()
  try {
    for (let attempt = 1; attempt <= MAX_FULL_READS; attempt++) {
      if (attempt > 1) yield { kind: 'restart' }
      watch.take()
      for await (const { entries } of pagesOf(storage, clock, signal)) yield { kind: 'records', entries }
      for (let round = 1; round <= MAX_ROUNDS; round++) {
        await watch.catchUp()
        const changed = watch.take()
        if (!changed) break
        yield* readAgain(storage, [...changed])
        const revision = await watch.catchUp()
        if (watch.quiet) return revision
        await clock.sleep(Math.min(round, 20), signal)
      }
    }
  } finally {
    await watch.stop()
  }
  throw new KernelError(
    'ERR_UNAVAILABLE',
    'the store is written to so often that no consistent state could be read; try again later',
  )
}

async function* readAgain(storage: Storage, keys: readonly string[]): AsyncGenerator<SnapshotPart> {
  for (let at = 0; at < keys.length; at += KEYS_PER_READ) {
    const some = keys.slice(at, at + KEYS_PER_READ)
    const found = await storage.getMany(some)
    const entries = found.filter((entry) => entry !== undefined)
    const deleted = some.filter((_, index) => !found[index])
    if (entries.length > 0) yield { kind: 'records', entries }
    if (deleted.length > 0) yield { kind: 'deleted', keys: deleted }
  }
}

class ChangeCollector {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #signal: AbortSignal | undefined
  /** The keys that have changed since the last `take`; undefined if the store no longer knew them. */
  #changed: Set<string> | undefined = new Set()
  #heard: Revision = 0
  #unwatch: (() => Promise<void>) | undefined

  constructor(storage: Storage, clock: Clock, signal: AbortSignal | undefined) {
    this.#storage = storage
    this.#clock = clock
    this.#signal = signal
  }

  get quiet(): boolean {
    return this.#changed?.size === 0
  }

  async start(): Promise<void> {
    this.#heard = await this.#storage.revision(true)
    this.#unwatch = await this.#storage.watch('', this.#heard, (change) => this.#note(change))
  }

  async stop(): Promise<void> {
    await this.#unwatch?.()
  }

  take(): ReadonlySet<string> | undefined {
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  /**
   * Waits until the watch has reported all commits made before the call. @returns The revision up to which all changes are known.
   */
  async catchUp(): Promise<Revision> {
    const revision = await this.#storage.revision(true)
    for (let waits = 0; this.#heard < revision; waits++) {
      if (waits === MAX_WAITS) throw new KernelError('ERR_UNAVAILABLE', 'the storage does not report commits to its watchers')
      await this.#clock.sleep(WAIT_MS, this.#signal)
    }
    return this.#heard
  }

  #note({ revision, keys }: Change): void {
    // The watch may report a change more than once.
    if (revision <= this.#heard) return
    this.#heard = revision
    if (!keys) this.#changed = undefined
    for (const key of keys ?? []) this.#changed?.add(key)
  }
}
