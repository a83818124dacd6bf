/**
 * Stores how often the barrier key was used, and rotates the key when the count exceeds its limit.
 *
 * Each process counts how often it has encrypted with the barrier key, and adds this number to the stored count in a tick. If the process
 * crashes, the encryptions that it has not reported are lost: at most {@link MIN_REPORTED_ENCRYPTIONS}, plus those since the last tick. The
 * limit is low enough that thousands of such crashes with one key do no harm.
 */
import { decodeRecord, withFormat } from '../contract/record-kind.ts'
import { coreRecordKey } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import type { SealKeeper } from './keeper.ts'
import { BARRIER_ENCRYPTIONS, type EncryptionCount, IN_USE, isSpent, ROTATION, ROTATION_CONFIG_ID } from './rotation.ts'

/** A tick stores the count immediately if this process has at least this many unreported uses. */
const MIN_REPORTED_ENCRYPTIONS = 65_536

/** After this many milliseconds, a tick also stores a smaller number of uses. */
const REPORT_AFTER_MS = 600_000

/** The maximum number of attempts to commit the count. If all of them conflict, the next tick tries again. */
const MAX_TRIES = 5

const COUNT_KEY = /* @__PURE__ */ coreRecordKey(BARRIER_ENCRYPTIONS, IN_USE)

const CONFIG_KEY = /* @__PURE__ */ coreRecordKey(ROTATION, ROTATION_CONFIG_ID)

export class KeyUseReporter {
  readonly #keeper: SealKeeper
  readonly #host: Host
  #reportedAt: number

  constructor(keeper: SealKeeper, host: Host) {
    this.#keeper = keeper
    this.#host = host
    this.#reportedAt = host.clock.now()
  }

  /** Reports the uses, and rotates the key if it was used too often. Most ticks have nothing to report. */
  async run(): Promise<void> {
    const { barrier } = this.#keeper.parts
    const { encryptions } = barrier
    if (
      encryptions < MIN_REPORTED_ENCRYPTIONS &&
      (encryptions === 0 || this.#host.clock.now() - this.#reportedAt < REPORT_AFTER_MS)
    )
      return
    const { term } = barrier.ring.active
    if (await this.report()) await this.#keeper.rotate(term)
  }

  /** Stores the count of uses. @returns Whether the key has reached its limit. */
  async report(): Promise<boolean> {
    const { barrier } = this.#keeper.parts
    if (barrier.encryptions === 0) return false
    const { term } = barrier.ring.active
    const uses = barrier.takeEncryptions()
    let isReported = false
    try {
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const [found, config] = await this.#host.store.getMany([COUNT_KEY, CONFIG_KEY])
        const before = found ? decodeRecord(BARRIER_ENCRYPTIONS, found.value) : undefined
        // Another process has already rotated the key. The former key encrypts nothing more, so its uses need not be counted.
        if (before && before.term > term) return false
        const count = (before?.term === term ? before.count : 0) + uses
        isReported = await this.#put({ term, count }, found?.version ?? 0)
        if (isReported) return isSpent(count, config && decodeRecord(ROTATION, config.value))
      }
      return false
    } finally {
      if (!isReported && barrier.open && barrier.ring.active.term === term) barrier.addEncryptions(uses)
    }
  }

  async #put(count: EncryptionCount, expect: number): Promise<boolean> {
    const { store, cache, freshness, clock } = this.#host
    const verdict = await store.commit([
      store.encryptedPut(COUNT_KEY, withFormat(BARRIER_ENCRYPTIONS.format, BARRIER_ENCRYPTIONS.encode(count)), expect),
    ])
    if (!verdict.ok) return false
    cache.apply({ revision: verdict.revision, keys: [COUNT_KEY] })
    freshness.committed(verdict.revision)
    this.#reportedAt = clock.now()
    return true
  }
}
