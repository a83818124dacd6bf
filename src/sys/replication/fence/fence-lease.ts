/**
 * The right of this kernel to write as the primary of a set, while the fence says so.
 *
 * A right is counted from before its value was put there, by a timer and by the time of day: the one notices a clock that is set back, the
 * other a process that stood still.
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
import { type FenceRecord, formatFenceRecord, LEASE_MS, RENEW_AFTER_MS } from './fence-record.ts'
import { FenceRegister, type RegisterValue } from './fence-register.ts'

export interface FenceLeaseParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly port: FencePort
  /** Another cluster has begun this epoch. */
  readonly onNewerEpoch: (epoch: number) => Promise<void>
  /** What a close waits for. */
  readonly track: (work: Promise<void>) => unknown
}

/** Where the holder stands. */
export interface HolderPosition {
  readonly epoch: number
  readonly index: number
}

interface LeaseGrant {
  /** When its value began to be put there. */
  readonly startedAt: number
  readonly stop: AbortController
  hasExpired: boolean
}

const NONCE_BYTES = 8

/** After a failure writes are refused for so long without a question. */
const RETRY_DELAY_MS = 1000

/** Kernels of one cluster renew by turns. */
const MAX_TRIES = 20

export class FenceLease {
  readonly #parts: FenceLeaseParts
  #grant: LeaseGrant | undefined
  /** The value that this kernel knows to be there. */
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

  /** Why it is not held. */
  get error(): string | undefined {
    const error = this.#failure?.error
    return this.isHeld || error === undefined ? undefined : error instanceof Error ? error.message : 'it failed'
  }

  /** @throws KernelError 503 where it cannot be had. */
  obtain(): Promise<void> | undefined {
    if (!this.isHeld) return this.#obtain()
    if (this.#age >= RENEW_AFTER_MS && !this.#failedRecently) this.#parts.track(this.#renew().catch(() => {}))
    return undefined
  }

  /** Renews it where that is due. @throws KernelError 503. */
  async renewIfDue(): Promise<void> {
    const { membership } = this.#parts
    if (membership.mode === 'primary' && !(this.isHeld && this.#age < RENEW_AFTER_MS) && !this.#failedRecently)
      await this.#renew()
  }

  /** Puts this cluster in the place of what was found. @returns Whether it was there still. @throws KernelError 503. */
  async takeOver(set: string, place: HolderPosition, found: RegisterValue): Promise<boolean> {
    const term = await this.#newRecord(place)
    return this.#withGrant((right) => this.#trySwap(this.registerOf(set), found.text, term, right))
  }

  /** Says that nobody of this cluster writes in this epoch any more. */
  async release({ set, history }: Relation): Promise<void> {
    this.forget()
    const { epoch, start } = lastOf(history)
    const register = this.registerOf(set)
    const { host } = this.#parts
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const found = await register.read()
      if (found?.record?.epoch !== epoch || found.record.holder !== (await fenceHolderName(host))) return
      const index = Math.max(start, await headOf(host, history))
      if (await register.swap(found.text, { ...(await this.#newRecord({ epoch, index })), released: true })) return
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

  /** It has failed a moment ago. */
  get #failedRecently(): boolean {
    return this.#failure !== undefined && Math.abs(this.#parts.host.clock.now() - this.#failure.at) < RETRY_DELAY_MS
  }

  async #obtain(): Promise<void> {
    if (this.#failedRecently && !this.#renewing) throw this.#failure?.error
    await this.#renew()
    if (!this.isHeld) throw unavailable('replication.fence answered too late: the right to write was over by then')
  }

  /** One question at a time. */
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
    if (host.kind.partOf(membership.role).epoch !== epoch) throw unavailable('this cluster is no primary any more')
    const register = this.registerOf(relation.set)
    const term = await this.#newRecord({ epoch, index: await headOf(host, relation.history) })
    const done = await this.#withGrant(async (right) => {
      for (let tries = 1; tries <= MAX_TRIES; tries++) {
        const text = this.#knownText ?? this.#ownText(term, await register.read())
        if (await this.#trySwap(register, text, term, right)) return true
      }
      return false
    })
    if (!done) throw contended()
  }

  /** The value that was found. @throws KernelError 503 where it is none of this cluster, nor of one before it. */
  #ownText({ epoch, holder }: FenceRecord, found: RegisterValue | undefined): string | undefined {
    if (!found) return undefined
    const { record, text } = found
    if (!record) throw unavailable('replication.fence holds nothing that a kernel has put there')
    if (record.epoch > epoch + MAX_EPOCH_STEP)
      throw unavailable('replication.fence holds an epoch that no cluster of the set can have begun')
    if (record.epoch > epoch) {
      const { onNewerEpoch, track } = this.#parts
      track(onNewerEpoch(record.epoch).catch(() => {}))
      throw unavailable('another cluster has taken over: this one writes no more')
    }
    if (record.epoch === epoch && record.holder !== holder)
      throw unavailable('replication.fence: another cluster holds the right to write')
    return text
  }

  /** Counts a right from here on; it is none unless `put` has put it. */
  async #withGrant(put: (right: LeaseGrant) => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#parts.host
    const right: LeaseGrant = { startedAt: clock.now(), stop: new AbortController(), hasExpired: false }
    clock.sleep(LEASE_MS, right.stop.signal).then(
      () => {
        right.hasExpired = true
      },
      () => {},
    )
    try {
      return await put(right)
    } finally {
      if (this.#grant !== right) right.stop.abort()
    }
  }

  async #trySwap(register: FenceRegister, from: string | undefined, term: FenceRecord, right: LeaseGrant): Promise<boolean> {
    this.#knownText = undefined
    if (!(await register.swap(from, term))) return false
    this.#grant?.stop.abort()
    this.#grant = right
    this.#knownText = formatFenceRecord(term)
    return true
  }

  async #newRecord({ epoch, index }: HolderPosition): Promise<FenceRecord> {
    const { host } = this.#parts
    return { holder: await fenceHolderName(host), epoch, index, nonce: toHex(host.env.entropy.bytes(NONCE_BYTES)) }
  }
}

const unavailable = (why: string): KernelError => new KernelError('ERR_UNAVAILABLE', why)

const contended = (): KernelError => unavailable('replication.fence: others keep changing who may write')
