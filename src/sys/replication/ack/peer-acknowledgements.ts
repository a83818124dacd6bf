/**
 * Keeps the position up to which each secondary reports that it has stored the primary's records. The reports are written to the store, so
 * that every kernel of the primary receives them.
 */
import { peerRecordId } from '../serve/peer-keys.ts'
import { decodeSlot, RecordSlot } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'

/** The position up to which one secondary has stored the primary's records. */
export interface PeerAcknowledgement {
  readonly id: string
  /** The random origin of the epoch that `index` belongs to. */
  readonly origin: string
  /** The secondary has stored everything up to this index. */
  readonly index: number
  /** Whether the secondary receives all records, because no path filter applies. */
  readonly whole: boolean
}

export class PeerAcknowledgements {
  readonly #host: SetHost
  readonly #track: (work: Promise<void>) => unknown
  readonly #latest = new Map<string, PeerAcknowledgement>()
  readonly #listeners = new Set<() => void>()
  readonly #ends = new Set<() => void>()
  /** Secondaries whose acknowledgement is being written. The value is true if a newer acknowledgement has arrived since the write began. */
  readonly #noting = new Map<string, boolean>()

  /** @param track Registers work that must finish before the kernel closes. */
  constructor(host: SetHost, track: (work: Promise<void>) => unknown) {
    this.#host = host
    this.#track = track
  }

  get all(): readonly PeerAcknowledgement[] {
    return [...this.#latest.values()]
  }

  /** Starts to read acknowledgements that other kernels write. */
  follow(): void {
    const { cache, kind, env } = this.#host
    env.closing.addEventListener('abort', () => this.end())
    const look = (key?: string): void => void this.#track(this.#look(key).catch(() => {}))
    cache.onChange(({ keys }) => {
      if (keys === null) look()
      else for (const key of keys) if (key.startsWith(kind.acknowledgements)) look(key)
    })
  }

  /** Keeps a position that a secondary has reported to this kernel, and notifies the listeners and the other kernels of the primary. */
  receive(acknowledgement: PeerAcknowledgement): void {
    if (this.#take(acknowledgement) && this.#host.store.storage.caps.shared)
      this.#track(this.#note(acknowledgement.id).catch(() => {}))
  }

  /** @param listener Is called when a secondary has stored more records. @returns A function that removes the listener. */
  onMore(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @param listener Is called when this kernel will receive no more reports. @returns A function that removes the listener. */
  onEnd(listener: () => void): () => void {
    this.#ends.add(listener)
    return () => this.#ends.delete(listener)
  }

  /** Discards the position of a revoked secondary. */
  forget(id: string): void {
    this.#latest.delete(id)
  }

  /** Discards all positions. The kernel calls it when it is sealed, closes or is no longer the primary. */
  end(): void {
    this.#latest.clear()
    for (const listener of [...this.#ends]) listener()
  }

  #take(acknowledgement: PeerAcknowledgement): boolean {
    const before = this.#latest.get(acknowledgement.id)
    if (
      before?.origin === acknowledgement.origin &&
      before.whole === acknowledgement.whole &&
      before.index >= acknowledgement.index
    )
      return false
    this.#latest.set(acknowledgement.id, acknowledgement)
    for (const listener of [...this.#listeners]) listener()
    return true
  }

  /** Writes the position of a secondary to the store. During a commit, further reports wait, and only the newest is written next. */
  async #note(id: string): Promise<void> {
    if (this.#noting.has(id)) {
      this.#noting.set(id, true)
      return
    }
    const { store } = this.#host
    try {
      for (
        let acknowledgement = this.#latest.get(id);
        acknowledgement;
        acknowledgement = this.#noting.get(id) ? this.#latest.get(id) : undefined
      ) {
        this.#noting.set(id, false)
        await store.commit([this.#slot(id).put(store, acknowledgement)])
      }
    } finally {
      this.#noting.delete(id)
    }
  }

  async #look(key?: string): Promise<void> {
    const { store, kind } = this.#host
    const found = key === undefined ? await store.scan(kind.acknowledgements, () => true) : await store.getMany([key])
    for (const one of found) if (one?.value) this.#take(decodeSlot<PeerAcknowledgement>(one.value))
    // The record no longer exists, because another kernel revoked the secondary.
    if (key !== undefined && !found[0]) this.forget(decodeURIComponent(key.slice(kind.acknowledgements.length)))
  }

  #slot(id: string): RecordSlot<PeerAcknowledgement> {
    return new RecordSlot(acknowledgementKey(this.#host.kind, id))
  }
}

export const acknowledgementKey = ({ acknowledgements }: ReplicationKind, id: string): string =>
  acknowledgements + peerRecordId(id)
