/** Caches the stored public keys of this cluster's secondaries. When a secondary is revoked, every process drops its cache immediately. */
import { texts } from '../../../core/base/texts.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { Peer } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'

interface KnownPeer {
  readonly peer: Peer
  readonly version: number
  readonly key: Uint8Array | undefined
}

export class PeerKeys {
  readonly #host: SetHost
  readonly #prefix: string
  #known: ReadonlyMap<string, KnownPeer> | undefined
  #peers: readonly Peer[] = []
  /** Incremented when the cached records become outdated. A scan that began before the increment is discarded. */
  #round = 0
  #isListening = false

  constructor(host: SetHost) {
    this.#host = host
    this.#prefix = coreRecordKey(host.kind.peer, '')
  }

  /**
   * Returns the public key of a secondary. Returns undefined if the secondary is unknown, was never activated, or sent no hello before its
   * token expired.
   */
  keyOf(id: string): Uint8Array | undefined {
    const known = this.#known?.get(id)
    return this.#host.clock.now() < (known?.peer.until ?? Number.POSITIVE_INFINITY) ? known?.key : undefined
  }

  peer(id: string): Peer | undefined {
    return this.#known?.get(id)?.peer
  }

  forget(): void {
    this.#known = undefined
    this.#round++
  }

  /** Begins to note changes, before the first load. */
  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    this.#host.cache.onChange(({ keys }) => {
      if (!keys || keys.some((key) => key.startsWith(this.#prefix))) this.forget()
    })
  }

  /** Loads the cache. Returns all secondaries for which a token was issued and that were not revoked. */
  async load(): Promise<readonly Peer[]> {
    const { freshness, store, kind } = this.#host
    this.#listen()
    if (!freshness.isFresh()) await freshness.renew()
    while (!this.#known) {
      const round = this.#round
      const found = await store.scan(this.#prefix, () => true)
      const peers = found.flatMap(({ value, version }) => (value ? [{ peer: decodeRecord(kind.peer, value), version }] : []))
      const known = peers.map(({ peer, version }): [string, KnownPeer] => [
        peer.id,
        { peer, version, key: peer.key === undefined ? undefined : texts.fromHex(peer.key) },
      ])
      if (round !== this.#round) continue
      this.#known = new Map(known)
      this.#peers = peers.map(({ peer }) => peer)
    }
    return this.#peers
  }
}

/** Returns the record id of a secondary. The id of a secondary may contain any characters, so it is encoded. */
export const peerRecordId = (id: string): string => encodeURIComponent(id)
