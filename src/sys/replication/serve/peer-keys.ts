/**
 * The public keys of this cluster's secondaries, as the store has them: a revoked one is gone at once in every process.
 */
import { texts } from '../../../core/base/texts.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import { keyOf } from '../../../core/transaction/core-key.ts'
import type { Host } from '../../../core/transaction/host.ts'
import { PEER, type Peer } from '../state/records.ts'

const PREFIX = keyOf(PEER, '')

interface Known {
  readonly peer: Peer
  readonly version: number
  readonly key: Uint8Array | undefined
}

export class PeerKeys {
  readonly #host: Host
  #known: ReadonlyMap<string, Known> | undefined

  constructor(host: Host) {
    this.#host = host
    host.cache.onChange(({ keys }) => {
      if (!keys || keys.some((key) => key.startsWith(PREFIX))) this.#known = undefined
    })
  }

  /** None of a token that was not used in time. */
  keyOf(id: string): Uint8Array | undefined {
    const known = this.#known?.get(id)
    return this.#host.clock.now() < (known?.peer.until ?? Number.POSITIVE_INFINITY) ? known?.key : undefined
  }

  peer(id: string): Peer | undefined {
    return this.#known?.get(id)?.peer
  }

  forget(): void {
    this.#known = undefined
  }

  /** All secondaries that were issued a token and not revoked. */
  async load(): Promise<readonly Peer[]> {
    const { freshness, store } = this.#host
    if (!freshness.isFresh()) await freshness.renew()
    if (!this.#known) {
      const found = await store.scan(PREFIX, () => true)
      const peers = found.flatMap(({ value, version }) => (value ? [{ peer: decodeRecord(PEER, value), version }] : []))
      this.#known = new Map(
        peers.map(({ peer, version }) => [
          peer.id,
          { peer, version, key: peer.key === undefined ? undefined : texts.fromHex(peer.key) },
        ]),
      )
    }
    return [...this.#known.values()].map(({ peer }) => peer)
  }
}

/** The id under which a secondary's record lies: its name is free text. */
export const peerRecordId = (id: string): string => encodeURIComponent(id)
