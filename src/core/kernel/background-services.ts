/** The role of a cluster in a replication set, and how far a copy of the data is behind. */
export interface ReplicationLag {
  /** The kind of the set of clusters: for performance, or for disaster recovery (`dr`). */
  readonly kind: 'performance' | 'dr'
  /** The role of this cluster in the set. */
  readonly mode: 'primary' | 'secondary'
  /**
   * The number of log entries that this secondary has not applied yet; on a primary, the largest such number of its secondaries. Absent if
   * no other cluster has reported since the kernel was unsealed.
   */
  readonly lag?: number
}

/** A part of the kernel that works in the background. */
interface BackgroundService {
  /** Called when the kernel has been unsealed. Errors are ignored. */
  readonly opened?: () => Promise<void>
  /** Called when the kernel is sealed or closed. */
  readonly sealed?: () => void
  /** The index of the newest entry of the replication log; undefined if there is no such log. */
  readonly lastWal?: () => Promise<number | undefined>
  /** The lag of replication; undefined if the cluster is in no set. */
  readonly lag?: () => Promise<ReplicationLag | undefined>
  /** Called at each tick. An error is reported like a failure of background work with this `lane` and `id`. */
  readonly tick?: { readonly lane: string; readonly id: string; readonly run: () => Promise<void> }
  /** Runs continuously after `kernel.start()`, until the signal is aborted. */
  readonly stream?: (stop: AbortSignal) => Promise<void>
}

export class BackgroundServices {
  readonly #services = new Set<BackgroundService>()
  /** The services whose `opened` was called since the kernel was last sealed. */
  readonly #opened = new Set<BackgroundService>()
  readonly #streams = new Set<AbortSignal>()

  /** Adds a service, also to a kernel that is already started. Call {@link open} afterwards if the kernel is already unsealed. */
  add(service: BackgroundService): void {
    this.#services.add(service)
    for (const signal of this.#streams) if (!signal.aborted) run(service, signal)
  }

  [Symbol.iterator](): IterableIterator<BackgroundService> {
    return this.#services.values()
  }

  /** Calls `opened` of all services, also of those that are added meanwhile. Calls it once per service until the kernel is sealed. */
  async open(): Promise<void> {
    for (const service of this.#services) {
      if (this.#opened.has(service)) continue
      this.#opened.add(service)
      await service.opened?.().catch(() => {})
    }
  }

  /** Calls `sealed` of all services. */
  seal(): void {
    this.#opened.clear()
    for (const { sealed } of this.#services) sealed?.()
  }

  /** Runs the streams of all services, also of those that are added later, until the signal is aborted. */
  stream(signal: AbortSignal): void {
    this.#streams.add(signal)
    signal.addEventListener('abort', () => this.#streams.delete(signal), { once: true })
    for (const service of this.#services) run(service, signal)
  }
}

function run({ stream }: BackgroundService, signal: AbortSignal): void {
  stream?.(signal).catch(() => {})
}
