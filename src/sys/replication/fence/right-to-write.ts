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
import { ownName } from './own-name.ts'
import { type Found, Register } from './register.ts'
import { RENEW_MS, RIGHT_MS, type Term, textOf } from './term.ts'

export interface RightParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly port: FencePort
  /** Another cluster has begun this epoch. */
  readonly overtaken: (epoch: number) => Promise<void>
  /** What a close waits for. */
  readonly track: (work: Promise<void>) => unknown
}

/** Where the holder stands. */
export interface Place {
  readonly epoch: number
  readonly index: number
}

interface Right {
  /** When its value began to be put there. */
  readonly begun: number
  readonly stop: AbortController
  isOver: boolean
}

const NONCE_BYTES = 8

/** After a failure writes are refused for so long without a question. */
const REST_MS = 1000

/** Kernels of one cluster renew by turns. */
const MOST_TRIES = 20

export class RightToWrite {
  readonly #parts: RightParts
  #right: Right | undefined
  /** The value that this kernel knows to be there. */
  #known: string | undefined
  #asking: Promise<void> | undefined
  #failure: { readonly at: number; readonly error: unknown } | undefined

  constructor(parts: RightParts) {
    this.#parts = parts
  }

  get isHeld(): boolean {
    const age = this.#age
    return this.#right !== undefined && !this.#right.isOver && age >= 0 && age < RIGHT_MS
  }

  /** Why it is not held. */
  get error(): string | undefined {
    const error = this.#failure?.error
    return this.isHeld || error === undefined ? undefined : error instanceof Error ? error.message : 'it failed'
  }

  /** @throws KernelError 503 where it cannot be had. */
  obtain(): Promise<void> | undefined {
    if (!this.isHeld) return this.#obtain()
    if (this.#age >= RENEW_MS && !this.#rests) this.#parts.track(this.#renew().catch(() => {}))
    return undefined
  }

  /** Renews it where that is due. @throws KernelError 503. */
  async keep(): Promise<void> {
    const { membership } = this.#parts
    if (membership.mode === 'primary' && !(this.isHeld && this.#age < RENEW_MS) && !this.#rests) await this.#renew()
  }

  /** Puts this cluster in the place of what was found. @returns Whether it was there still. @throws KernelError 503. */
  async take(set: string, place: Place, found: Found): Promise<boolean> {
    const term = await this.#term(place)
    return this.#counted((right) => this.#swapped(this.registerOf(set), found.text, term, right))
  }

  /** Says that nobody of this cluster writes in this epoch any more. */
  async release({ set, history }: Relation): Promise<void> {
    this.forget()
    const { epoch, start } = lastOf(history)
    const register = this.registerOf(set)
    const { host } = this.#parts
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const found = await register.read()
      if (found?.term?.epoch !== epoch || found.term.holder !== (await ownName(host))) return
      const index = Math.max(start, await headOf(host, history))
      if (await register.swap(found.text, { ...(await this.#term({ epoch, index })), released: true })) return
    }
  }

  registerOf(set: string): Register {
    return new Register(this.#parts.host, this.#parts.port, set)
  }

  forget(): void {
    this.#right?.stop.abort()
    this.#right = undefined
    this.#known = undefined
    this.#failure = undefined
  }

  get #age(): number {
    return this.#parts.host.clock.now() - (this.#right?.begun ?? Number.POSITIVE_INFINITY)
  }

  /** It has failed a moment ago. */
  get #rests(): boolean {
    return this.#failure !== undefined && Math.abs(this.#parts.host.clock.now() - this.#failure.at) < REST_MS
  }

  async #obtain(): Promise<void> {
    if (this.#rests && !this.#asking) throw this.#failure?.error
    await this.#renew()
    if (!this.isHeld) throw refused('replication.fence answered too late: the right to write was over by then')
  }

  /** One question at a time. */
  #renew(): Promise<void> {
    this.#asking ??= this.#ask()
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
        this.#asking = undefined
      })
    return this.#asking
  }

  async #ask(): Promise<void> {
    const { membership, host } = this.#parts
    const { relation } = await membership.member()
    const { epoch } = lastOf(relation.history)
    if (host.kind.partOf(membership.role).epoch !== epoch) throw refused('this cluster is no primary any more')
    const register = this.registerOf(relation.set)
    const term = await this.#term({ epoch, index: await headOf(host, relation.history) })
    const done = await this.#counted(async (right) => {
      for (let tries = 1; tries <= MOST_TRIES; tries++) {
        const text = this.#known ?? this.#own(term, await register.read())
        if (await this.#swapped(register, text, term, right)) return true
      }
      return false
    })
    if (!done) throw contended()
  }

  /** The value that was found. @throws KernelError 503 where it is none of this cluster, nor of one before it. */
  #own({ epoch, holder }: Term, found: Found | undefined): string | undefined {
    if (!found) return undefined
    const { term, text } = found
    if (!term) throw refused('replication.fence holds nothing that a kernel has put there')
    if (term.epoch > epoch + MAX_EPOCH_STEP)
      throw refused('replication.fence holds an epoch that no cluster of the set can have begun')
    if (term.epoch > epoch) {
      const { overtaken, track } = this.#parts
      track(overtaken(term.epoch).catch(() => {}))
      throw refused('another cluster has taken over: this one writes no more')
    }
    if (term.epoch === epoch && term.holder !== holder)
      throw refused('replication.fence: another cluster holds the right to write')
    return text
  }

  /** Counts a right from here on; it is none unless `put` has put it. */
  async #counted(put: (right: Right) => Promise<boolean>): Promise<boolean> {
    const { clock } = this.#parts.host
    const right: Right = { begun: clock.now(), stop: new AbortController(), isOver: false }
    clock.sleep(RIGHT_MS, right.stop.signal).then(
      () => {
        right.isOver = true
      },
      () => {},
    )
    try {
      return await put(right)
    } finally {
      if (this.#right !== right) right.stop.abort()
    }
  }

  async #swapped(register: Register, from: string | undefined, term: Term, right: Right): Promise<boolean> {
    this.#known = undefined
    if (!(await register.swap(from, term))) return false
    this.#right?.stop.abort()
    this.#right = right
    this.#known = textOf(term)
    return true
  }

  async #term({ epoch, index }: Place): Promise<Term> {
    const { host } = this.#parts
    return { holder: await ownName(host), epoch, index, nonce: toHex(host.env.entropy.bytes(NONCE_BYTES)) }
  }
}

const refused = (why: string): KernelError => new KernelError('ERR_UNAVAILABLE', why)

const contended = (): KernelError => refused('replication.fence: others keep changing who may write')
