/**
 * Who works on a lane of a mount: one process at a time. Room: core/due. Imported by tick.
 *
 * A claim is a record that its holder renews. A contender takes over after it has seen the same version of it for a whole TTL on its own
 * clock; clocks of two machines are never compared. Every commit of the work checks the claim, so a holder that was paused and taken
 * over cannot commit.
 */

import { toUtf8 } from '../bytes.ts'
import type { Clock } from '../clock.ts'
import type { Fence } from '../transaction/host.ts'
import { withFormat } from '../transaction/record-kind.ts'
import type { Store } from '../transaction/store.ts'
import type { Lane } from './lane.ts'

export const CLAIM_TTL_MS = 30_000
const FORMAT = 1

interface Held {
  readonly version: number
  readonly renewed: number
}

interface Seen {
  readonly version: number
  readonly since: number
}

export class Claims {
  readonly #store: Store
  readonly #clock: Clock
  readonly #owner: string
  readonly #held = new Map<string, Held>()
  readonly #seen = new Map<string, Seen>()
  /** One attempt per claim at a time: items of a lane run side by side. */
  readonly #running = new Map<string, Promise<Fence | undefined>>()

  /** @param owner Names this kernel among all that share the store. */
  constructor(store: Store, clock: Clock, owner: string) {
    this.#store = store
    this.#clock = clock
    this.#owner = owner
  }

  /** The fence to commit under, or undefined while somebody else holds the claim. */
  acquire(mount: string, lane: Lane): Promise<Fence | undefined> {
    const key = `i/claim/${lane}/${mount}`
    const running = this.#running.get(key) ?? this.#acquire(key).finally(() => this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  async #acquire(key: string): Promise<Fence | undefined> {
    const now = this.#clock.now()
    const held = this.#held.get(key)
    // A clock that jumped back renews early, which does no harm.
    if (held && now >= held.renewed && now - held.renewed < CLAIM_TTL_MS / 2) return { key, version: held.version }
    const [version = 0] = await this.#store.versions([key])
    if (version !== 0 && version !== held?.version && !this.#expired(key, version, now)) return undefined
    return this.#take(key, version, now)
  }

  /** Gives everything back, so that others need not wait. */
  async release(): Promise<void> {
    for (const [key, { version }] of this.#held) await this.#store.commit([{ op: 'del', key, expect: version }])
    this.#held.clear()
  }

  #expired(key: string, version: number, now: number): boolean {
    const seen = this.#seen.get(key)
    if (seen?.version === version && now >= seen.since) return now - seen.since >= CLAIM_TTL_MS
    this.#seen.set(key, { version, since: now })
    return false
  }

  async #take(key: string, expect: number, now: number): Promise<Fence | undefined> {
    const claim = withFormat(FORMAT, toUtf8(JSON.stringify({ owner: this.#owner })))
    const verdict = await this.#store.commit([this.#store.sealed(key, claim, expect)])
    this.#seen.delete(key)
    if (!verdict.ok) {
      this.#held.delete(key)
      return undefined
    }
    this.#held.set(key, { version: verdict.revision, renewed: now })
    return { key, version: verdict.revision }
  }
}
