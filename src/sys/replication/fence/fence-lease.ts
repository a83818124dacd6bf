/**
 * The permission of this kernel to commit as the primary of a set, granted by the fence register.
 *
 * A grant starts before the register is written, so it always ends early rather than late. Both a timer and the time of day limit a grant:
 * the timer still works if the clock is set to an earlier time, and the time of day still works if the process was paused.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { toHex } from '../../../core/base/identifiers.ts'
import type { FencePort } from '../../../core/contract/fence-port.ts'
import type { Membership } from '../membership.ts'
import { headOf } from '../serve/hello.ts'
import { MAX_EPOCH_STEP } from '../state/bounds.ts'
import { lastOf } from '../state/history.ts'
import type { Relation } from '../state/records.ts'
import type { SetHost } from '../state/set-host.ts'
import { fenceHolderName } from './fence-holder-name.ts'
import { type FenceRecord, formatFenceRecord, LEASE_MS, RENEW_LEASE_AFTER_MS } from './fence-record.ts'
import { FenceRegister, type RegisterValue } from './fence-register.ts'

export interface FenceLeaseParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly port: FencePort
  /** Is called if another cluster has begun a newer epoch, according to the register. */
  readonly onNewerEpoch: (epoch: number) => Promise<void>
  /** Registers work that must finish before the kernel closes. */
  readonly track: (work: Promise<void>) => unknown
}

/** The log position of the cluster that holds the lease. */
export interface HolderPosition {
  readonly epoch: number
  readonly index: number
}

interface LeaseGrant {
  /** The time before the register was written. The lease is counted from this time. */
  readonly startedAt: number
  readonly stop: AbortController
  hasExpired: boolean
}

const NONCE_BYTES = 8

/** For this long after a failed call to the register, commits are refused without another call. */
const RETRY_DELAY_MS = 1000

/** Several attempts may be needed, because all kernels of a cluster write to the same register. */
const MAX_TRIES = 20

export class FenceLease {
  readonly #parts: FenceLeaseParts
  #grant: LeaseGrant | undefined
  /** The value that this kernel last wrote, unless another kernel has replaced it. */
  #knownText: string | undefined
  #renewing: Promise<void> | undefined
  #failure: { readonly at: number; readonly error: unknown } | undefined

  constructor(parts: FenceLeaseParts) {
    this.#parts = parts
  }

  get isHeld(): boolean {
    const age = this.#age
    return this.#grant !== undefined && !this.#grant.hasExpired && age >= 0 && age < LEASE_MS
  }

  /** Why the lease is not held; undefined while it is held, and before the first failure. */
  get error(): string | undefined {
    const error = this.#failure?.error
    return this.isHeld || error === undefined ? undefined : error instanceof Error ? error.message : 'it failed'
  }

  /**
   * Returns undefined if the lease is held; otherwise a promise that resolves when the lease was obtained. Starts a renewal if one is due.
   * @throws KernelError 503 if the lease cannot be obtained.
   */
  obtain(): Promise<void> | undefined {
    if (!this.isHeld) return this.#obtain()
    if (this.#age >= RENEW_LEASE_AFTER_MS && !this.#failedRecently) this.#parts.track(this.#renew().catch(() => {}))
    return undefined
  }

  /** Renews the lease if a renewal is due. @throws KernelError 503 if the lease cannot be renewed. */
  async renewIfDue(): Promise<void> {
    const { membership } = this.#parts
    if (membership.mode === 'primary' && !(this.isHeld && this.#age < RENEW_LEASE_AFTER_MS) && !this.#failedRecently)
      await this.#renew()
  }

  /**
   * Replaces the register value of a former primary with a value of this cluster.
   * @returns False if the register no longer contains `current`.
   * @throws KernelError 503 if the register does not answer.
   */
  async takeOver(set: string, place: HolderPosition, current: RegisterValue): Promise<boolean> {
    const record = await this.#newRecord(place)
    return this.#withGrant((grant) => this.#trySwap(this.registerOf(set), current.text, record, grant))
  }

  /** Marks in the register that no kernel of this cluster will write in this epoch any more. */
  async release({ set, history }: Relation): Promise<void> {
    this.forget()
    const { epoch, start } = lastOf(history)
    const register = this.registerOf(set)
    const { host } = this.#parts
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const current = await register.read()
      if (current?.record?.epoch !== epoch || current.record.holder !== (await fenceHolderName(host))) return
      const index = Math.max(start, await headOf(host, history))
      if (await register.swap(current.text, { ...(await this.#newRecord({ epoch, index })), released: true })) return
    }
  }

  registerOf(set: string): FenceRegister {
    return new FenceRegister(this.#parts.host, this.#parts.port, set)
  }

  forget(): void {
    this.#grant?.stop.abort()
    this.#grant = undefined
    this.#knownText = undefined
    this.#failure = undefined
  }

  get #age(): number {
    return this.#parts.host.clock.now() - (this.#grant?.startedAt ?? Number.POSITIVE_INFINITY)
  }

  /** Whether the last call to the register failed less than `RETRY_DELAY_MS` ago. */
  get #failedRecently(): boolean {
    return this.#failure !== undefined && Math.abs(this.#parts.host.clock.now() - this.#failure.at) < RETRY_DELAY_MS
  }

  async #obtain(): Promise<void> {
    if (this.#failedRecently && !this.#renewing) throw this.#failure?.error
    await this.#renew()
    if (!this.isHeld) throw unavailable('replication.fence answered too late: the write lease had already expired; retry')
  }

  /** Renews the lease. Concurrent callers share one renewal. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#replaceValue()
      .then(
        () => {
          this.#failure = undefined
        },
        (error: unknown) => {
          this.#failure = { at: this.#parts.host.clock.now(), error }
          throw error
        },
      )
      .finally(() => {
        this.#renewing = undefined
      })
    return this.#renewing
  }

  async #replaceValue(): Promise<void> {
    const { membership, host } = this.#parts
    const { relation } = await membership.member()
    const { epoch } = lastOf(relation.history)
    if (host.kind.partOf(membership.role).epoch !== epoch) throw unavailable('this cluster is no longer the primary')
    const register = this.registerOf(relation.set)
    const record = await this.#newRecord({ epoch, index: await headOf(host, relation.history) })
    const done = await this.#withGrant(async (grant) => {
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const text = this.#knownText ?? this.#ownText(record, await register.read())
        if (await this.#trySwap(register, text, record, grant)) return true
      }
      return false
    })
    if (!done) throw contended()
  }

  /**
   * Returns the register value that this cluster is allowed to replace; undefined if the register is empty.
   * @throws KernelError 503 if another cluster wrote the value in this or a later epoch, or if no kernel wrote the value.
   */
  #ownText({ epoch, holder }: FenceRecord, current: RegisterValue | undefined): string | undefined {
    if (!current) return undefined
    const { record, text } = current
    if (!record) throw unavailable('replication.fence: the register holds a value that no kernel wrote')
    if (record.epoch > epoch + MAX_EPOCH_STEP)
      throw unavailable('replication.fence: the register holds an epoch that no cluster of the set can have begun')
    if (record.epoch > epoch) {
      const { onNewerEpoch, track } = this.#parts
      track(onNewerEpoch(record.epoch).catch(() => {}))
      throw unavailable('another cluster has taken over, so this one accepts no more writes')
    }
    if (record.epoch === epoch && record.holder !== holder)
      throw unavailable('replication.fence: another cluster holds the write lease')
    return text
  }

  /**
   * Creates a grant whose time starts now, and then calls `put`, which writes the register. If `put` does not install the grant, the grant is
   * discarded.
   */
  async #withGrant(put: (grant: LeaseGrant) => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#parts.host
    const grant: LeaseGrant = { startedAt: clock.now(), stop: new AbortController(), hasExpired: false }
    clock.sleep(LEASE_MS, grant.stop.signal).then(
      () => {
        grant.hasExpired = true
      },
      () => {},
    )
    try {
      return await put(grant)
    } finally {
      if (this.#grant !== grant) grant.stop.abort()
    }
  }

  async #trySwap(register: FenceRegister, from: string | undefined, record: FenceRecord, grant: LeaseGrant): Promise<boolean> {
    this.#knownText = undefined
    if (!(await register.swap(from, record))) return false
    this.#grant?.stop.abort()
    this.#grant = grant
    this.#knownText = formatFenceRecord(record)
    return true
  }

  async #newRecord({ epoch, index }: HolderPosition): Promise<FenceRecord> {
    const { host } = this.#parts
    return { holder: await fenceHolderName(host), epoch, index, nonce: toHex(host.env.entropy.bytes(NONCE_BYTES)) }
  }
}

const unavailable = (why: string): KernelError => new KernelError('ERR_UNAVAILABLE', why)

const contended = (): KernelError => unavailable('replication.fence: other kernels keep changing the register; retry')
