/** Keeps the stored progress of this cluster in memory, so that a run with nothing to do does not read it from the store. */
import { KernelError } from '../../../core/base/errors.ts'
import type { SetHost } from '../state/set-host.ts'
import type { StoredProgress } from './apply-records.ts'

export class ProgressCache {
  readonly #host: SetHost
  #stored: StoredProgress | undefined
  /** The revision of the newest reported change of the record. An older version must not be kept. */
  #newest = 0
  /** How often reports of changes may have been lost, so that a version that is older than the loss must not be kept. */
  #losses = 0

  constructor(host: SetHost) {
    this.#host = host
    const { key } = host.kind.replicaProgress
    host.cache.onChange(({ revision, keys }) => {
      if (!keys) this.forget()
      else if (keys.includes(key)) this.#note(revision)
    })
  }

  /**
   * Returns the stored progress. Another part of the cluster may have changed the record a moment ago, so only a commit that checks the
   * version may rely on it.
   */
  async read(): Promise<StoredProgress> {
    const { kind, store, freshness } = this.#host
    if (this.#stored && freshness.isFresh()) return this.#stored
    return this.update(async () => {
      const { value, version } = await kind.replicaProgress.read(store)
      if (!value) throw new KernelError('ERR_INTERNAL', 'the record of the replication progress is missing')
      return { progress: value, version }
    })
  }

  /** Keeps the result of `work`, which reads or commits the progress, unless the record was changed meanwhile. */
  async update(work: () => Promise<StoredProgress>): Promise<StoredProgress> {
    const losses = this.#losses
    const stored = await work()
    if (losses === this.#losses && stored.version >= this.#newest) this.#stored = stored
    return stored
  }

  /** Makes the next call of `read` read the store. */
  forget(): void {
    this.#stored = undefined
    this.#losses++
  }

  #note(revision: number): void {
    this.#newest = Math.max(this.#newest, revision)
    if (this.#stored && this.#stored.version < revision) this.#stored = undefined
  }
}
