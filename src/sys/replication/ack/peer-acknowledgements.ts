/**
 * How far a primary's records are stored by its secondaries, as they have said; noted in the store, so that every kernel of the primary
 * learns of it.
 */
import { peerRecordId } from '../serve/peer-keys.ts'
import { decodeSlot, RecordSlot } from '../state/records.ts'
import type { ReplicationKind } from '../state/replication-kind.ts'
import type { SetHost } from '../state/set-host.ts'

/** What one secondary has stored. */
export interface Acknowledgement {
  readonly id: string
  /** Names the epoch that the index was written in. */
  readonly origin: string
  /** It has everything up to here. */
  readonly index: number
  /** No filter leaves anything out. */
  readonly whole: boolean
}

export class PeerAcknowledgements {
  readonly #host: SetHost
  readonly #track: (work: Promise<void>) => unknown
  readonly #latest = new Map<string, Acknowledgement>()
  readonly #listeners = new Set<() => void>()
  readonly #ends = new Set<() => void>()
  /** Secondaries whose position is being noted; whether it has changed since. */
  readonly #noting = new Map<string, boolean>()

  /** @param track What a close waits for. */
  constructor(host: SetHost, track: (work: Promise<void>) => unknown) {
    this.#host = host
    this.#track = track
  }

  get all(): readonly Acknowledgement[] {
    return [...this.#latest.values()]
  }

  /** Another kernel may have noted something. */
  follow(): void {
    const { cache, kind, env } = this.#host
    env.closing.addEventListener('abort', () => this.end())
    const look = (key?: string): void => void this.#track(this.#look(key).catch(() => {}))
    cache.onChange(({ keys }) => {
      if (keys === null) look()
      else for (const key of keys) if (key.startsWith(kind.acknowledgements)) look(key)
    })
  }

  /** A secondary has said so to this kernel. */
  receive(held: Acknowledgement): void {
    if (this.#take(held) && this.#host.store.storage.caps.shared) this.#track(this.#note(held.id).catch(() => {}))
  }

  /** @param listener Called when a secondary has stored more. @returns Ends that. */
  onMore(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @param listener Called when nobody says anything to this kernel any more. @returns Ends that. */
  onEnd(listener: () => void): () => void {
    this.#ends.add(listener)
    return () => this.#ends.delete(listener)
  }

  /** A secondary that was revoked holds nothing for anybody. */
  forget(id: string): void {
    this.#latest.delete(id)
  }

  /** The kernel is sealed, or no primary any more. */
  end(): void {
    this.#latest.clear()
    for (const listener of [...this.#ends]) listener()
  }

  #take(held: Acknowledgement): boolean {
    const before = this.#latest.get(held.id)
    if (before?.origin === held.origin && before.whole === held.whole && before.index >= held.index) return false
    this.#latest.set(held.id, held)
    for (const listener of [...this.#listeners]) listener()
    return true
  }

  /** One commit at a time for each secondary: what it says meanwhile is in the next one. */
  async #note(id: string): Promise<void> {
    if (this.#noting.has(id)) {
      this.#noting.set(id, true)
      return
    }
    const { store } = this.#host
    try {
      for (let held = this.#latest.get(id); held; held = this.#noting.get(id) ? this.#latest.get(id) : undefined) {
        this.#noting.set(id, false)
        await store.commit([this.#slot(id).put(store, held)])
      }
    } finally {
      this.#noting.delete(id)
    }
  }

  async #look(key?: string): Promise<void> {
    const { store, kind } = this.#host
    const found = key === undefined ? await store.scan(kind.acknowledgements, () => true) : await store.getMany([key])
    for (const one of found) if (one?.value) this.#take(decodeSlot<Acknowledgement>(one.value))
    // Revoked by another kernel.
    if (key !== undefined && !found[0]) this.forget(decodeURIComponent(key.slice(kind.acknowledgements.length)))
  }

  #slot(id: string): RecordSlot<Acknowledgement> {
    return new RecordSlot(acknowledgementKey(this.#host.kind, id))
  }
}

export const acknowledgementKey = ({ acknowledgements }: ReplicationKind, id: string): string =>
  acknowledgements + peerRecordId(id)
