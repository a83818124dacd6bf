/**
 * Claims ensure that only one process at a time works on a lane of a mount. A lane is a queue of background work.
 *
 * A claim consists of two records. The first contains the holder's name and changes only when the claim gets another holder. Its version is
 * a fencing token: every commit of the work requires this version. So if a holder was paused and another process has taken the claim
 * meanwhile, the paused holder cannot commit. The second record is renewed by the holder while it works. Another process may take the claim
 * after it has seen the same versions of both records for a whole TTL, measured by the clock of that process. The clocks of two machines
 * are never compared.
 */
import { EMPTY, fromUtf8, toUtf8 } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import { CLAIM_TTL_MS, LANES, type Lane } from '../contract/lane.ts'
import { withFormat } from '../contract/record-kind.ts'
import type { Fence } from '../transaction/keyspace.ts'
import type { Store } from '../transaction/store.ts'

/**
 * While the holder works, it renews its claims at this interval. A claim lasts three intervals, so a single failed renewal does not end it.
 */
const RENEW_EVERY_MS = CLAIM_TTL_MS / 3

/** An explicit reason for an abort. Without it, AbortController would create an exception with a stack for each tick. */
const ENDED = 'ended'

const CLAIMS = 'i/claim/'

const RENEWAL = '/renewal'

const FORMAT = 1

/** The first record of a claim. */
interface ClaimRecord {
  readonly owner: string
  /** When the holder took the claim, in milliseconds since the epoch by the holder's clock. */
  readonly since: number
}

interface Claim extends ClaimRecord {
  readonly lane: string
  /** The mount's UUID. */
  readonly mount: string
}

interface Versions {
  readonly claim: number
  readonly renewal: number
}

interface HeldClaim extends Versions {
  readonly renewed: number
}

interface SeenClaim extends Versions {
  readonly since: number
}

export class LaneClaims {
  /** Identifies this kernel among all kernels that share the store. */
  readonly owner: string
  readonly #store: Store
  readonly #clock: Clock
  /** The claims of this kernel. The map key is the part of the record key after {@link CLAIMS}. */
  readonly #held = new Map<string, HeldClaim>()
  readonly #seen = new Map<string, SeenClaim>()
  /** The acquisitions in progress. The items of a lane run concurrently and need the same claim, so they share one acquisition. */
  readonly #running = new Map<string, Promise<Fence | undefined>>()

  constructor(store: Store, clock: Clock, owner: string) {
    this.#store = store
    this.#clock = clock
    this.owner = owner
  }

  /**
   * Acquires or renews a claim. Returns the key and version of the claim's first record, which every commit of the work must check.
   * Undefined if another kernel has the claim.
   */
  acquire(mount: string, lane: Lane | 'replication'): Promise<Fence | undefined> {
    const name = `${lane}/${mount}`
    return this.#exclusively(name, () => this.#acquire(name))
  }

  /**
   * Renews all claims of this kernel until the returned function is called. Without this, a claim could expire while a single item runs.
   */
  keep(): () => void {
    const stop = new AbortController()
    const renew = (name: string) => this.#exclusively(name, () => this.#renew(name))
    const loop = async () => {
      for (;;) {
        await this.#clock.sleep(RENEW_EVERY_MS, stop.signal)
        // Ignore failures: the renewal is repeated at the next interval or when the claim is used.
        await Promise.allSettled([...this.#held.keys()].map(renew))
      }
    }
    loop().catch(() => {
      // The sleep was aborted, which ends the loop.
    })
    return () => stop.abort(ENDED)
  }

  /** Forgets a claim after a commit has shown that another kernel has taken it. */
  lost({ key, version }: Fence): void {
    const name = key.slice(CLAIMS.length)
    if (this.#held.get(name)?.claim === version) this.#held.delete(name)
  }

  /** Forgets the claims of a removed mount. Their records have been deleted. */
  forget(mount: string): void {
    for (const lane of Object.keys(LANES)) {
      this.#held.delete(`${lane}/${mount}`)
      this.#seen.delete(`${lane}/${mount}`)
    }
  }

  /** All claims in the store. */
  async all(): Promise<readonly Claim[]> {
    const found = await this.#store.scan(CLAIMS, (key) => !key.endsWith(RENEWAL))
    return found.flatMap(({ key, value }) => {
      const [lane = '', mount = ''] = key.slice(CLAIMS.length).split('/')
      return value ? [{ lane, mount, ...readClaim(value) }] : []
    })
  }

  /**
   * Releases all claims of this kernel, so that other processes need not wait until they expire. A claim that cannot be released expires.
   */
  async release(): Promise<void> {
    const held = [...this.#held]
    this.#held.clear()
    const releaseClaim = ([name, { claim }]: [string, HeldClaim]) =>
      this.#store.commit([
        { op: 'del', key: claimKey(name), expect: claim },
        { op: 'del', key: renewalKey(name) },
      ])
    await Promise.allSettled(held.map(releaseClaim))
  }

  #exclusively(name: string, work: () => Promise<Fence | undefined>): Promise<Fence | undefined> {
    const running = this.#running.get(name) ?? work().finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    return running
  }

  async #acquire(name: string): Promise<Fence | undefined> {
    const now = this.#clock.now()
    const held = this.#held.get(name)
    // If the clock was set back to a time before the last renewal, the claim is renewed earlier than necessary, which is harmless.
    if (held && now >= held.renewed && now - held.renewed < CLAIM_TTL_MS / 2) return fence(name, held)
    if (held) return this.#renew(name)
    const [claim, renewal] = await this.#store.getMany([claimKey(name), renewalKey(name)])
    const versions = { claim: claim?.version ?? 0, renewal: renewal?.version ?? 0 }
    if (claim && readClaim(claim.value).owner === this.owner) {
      // An earlier commit of this kernel has taken the claim, but the kernel did not learn its outcome. So continue with this claim.
      this.#held.set(name, { ...versions, renewed: now })
      return this.#renew(name)
    }
    return !claim || this.#expired(name, versions, now) ? this.#take(name, versions, now) : undefined
  }

  #expired(name: string, { claim, renewal }: Versions, now: number): boolean {
    const seen = this.#seen.get(name)
    if (seen?.claim === claim && seen.renewal === renewal && now >= seen.since) return now - seen.since >= CLAIM_TTL_MS
    this.#seen.set(name, { claim, renewal, since: now })
    return false
  }

  async #take(name: string, { claim, renewal }: Versions, now: number): Promise<Fence | undefined> {
    const record: ClaimRecord = { owner: this.owner, since: now }
    const verdict = await this.#store.commit([
      this.#store.encryptedPut(claimKey(name), withFormat(FORMAT, toUtf8(JSON.stringify(record))), claim),
      this.#store.encryptedPut(renewalKey(name), withFormat(FORMAT, EMPTY), renewal),
    ])
    this.#seen.delete(name)
    if (!verdict.ok) return undefined
    const held = { claim: verdict.revision, renewal: verdict.revision, renewed: now }
    this.#held.set(name, held)
    return fence(name, held)
  }

  async #renew(name: string): Promise<Fence | undefined> {
    const renewed = this.#clock.now()
    for (let held = this.#held.get(name); held; held = this.#held.get(name)) {
      const verdict = await this.#store.commit([
        { op: 'check', key: claimKey(name), expect: held.claim },
        this.#store.encryptedPut(renewalKey(name), withFormat(FORMAT, EMPTY), held.renewal),
      ])
      if (verdict.ok) {
        const renewedClaim = { ...held, renewal: verdict.revision, renewed }
        this.#held.set(name, renewedClaim)
        return fence(name, renewedClaim)
      }
      // Only the second record differs, so this kernel renewed the claim in an earlier commit whose outcome it did not learn.
      if (verdict.conflict === renewalKey(name)) this.#held.set(name, { ...held, renewal: verdict.version })
      else this.#held.delete(name)
    }
    return undefined
  }
}

/**
 * The keys of both records of each claim on a mount, for all lanes or for the given lanes. The last background work of a removed mount
 * deletes these records.
 */
export const claimKeys = (mount: string, lanes: readonly string[] = Object.keys(LANES)): readonly string[] =>
  lanes.flatMap((lane) => [claimKey(`${lane}/${mount}`), renewalKey(`${lane}/${mount}`)])

const claimKey = (name: string): string => CLAIMS + name

const renewalKey = (name: string): string => CLAIMS + name + RENEWAL

const fence = (name: string, { claim }: Versions): Fence => ({ key: claimKey(name), version: claim })

const readClaim = (stored: Uint8Array): ClaimRecord => JSON.parse(fromUtf8(stored.subarray(1))) as ClaimRecord
