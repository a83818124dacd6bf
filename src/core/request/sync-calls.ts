/**
 * Calls that are answered without a promise.
 *
 * A call takes the way of the asynchronous method: arguments, mount, token and policy, audit, cached records. Where that way would wait it
 * is refused instead, and what was missing is loaded in the background; so a call never uses what the asynchronous method would not use.
 */
import { KernelError } from '../base/errors.ts'
import { SLICE_BYTES } from '../base/steps.ts'
import type { SyncCallHandle, SyncCallPlan, SyncMethod } from '../contract/sync-call.ts'
import type { Call } from '../contract/tx.ts'
import type { Values } from '../field/parse.ts'
import type { Change } from '../storage/port.ts'
import type { Outcome } from '../transaction/runner.ts'
import type { ViewBinding } from './binding.ts'
import { NO_OPTIONS, syncArguments } from './sync-arguments.ts'
import type { SyncCallContext } from './sync-call-context.ts'
import type { CallTarget } from './typed-access.ts'
import { itemForm } from './typed-form.ts'

/** Texts and bytes of a call: the slowest hash of the noble libraries takes 17 ms for as many. */
const MAX_BYTES = 2 * SLICE_BYTES

/** What a policy or the audit log looks at is read at once up to this size, in both entries and with what becomes of it. */
const MAX_INSPECTED_BYTES = SLICE_BYTES / 4

/** The caches are asked for this many times within the time that they may be used. */
const REFRESHES_PER_BOUND = 4

const notReady = (): KernelError =>
  new KernelError(
    'ERR_NOT_READY',
    'what the call needs is not loaded, or may be out of date: it is being loaded; refresh() waits for it',
  )

export class SyncCalls implements SyncCallHandle {
  readonly #binding: ViewBinding
  readonly #standing: SyncCallContext
  readonly #holding: SyncCallPlan
  readonly #over = new AbortController()
  /** Ends what {@link open} began. */
  #end = (): void => {}
  /** The physical key of the record that the others follow from. */
  #key: string | undefined
  /** Why the records could not be loaded, as long as nothing tells of a change. */
  #refusal: KernelError | undefined
  /** Changes that were heard of. */
  #heard = 0
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #catchingUp = false

  constructor(binding: ViewBinding, holding: SyncCallPlan) {
    this.#binding = binding
    this.#standing = binding.syncCallContext()
    this.#holding = holding
  }

  async open(): Promise<void> {
    const { freshness } = this.#standing
    if (freshness.isShared && freshness.bound === 0)
      throw new KernelError(
        'ERR_UNSUPPORTED_OPERATION',
        'keyHandle: others write to the storage, and with cache.stalenessMs 0 every call has to ask it',
      )
    try {
      await this.refresh()
    } catch (error) {
      // The policies of a token decide at each call who learns what is there.
      if (!this.#standing.hasToken || error !== this.#refusal) throw error
    }
    const { closing, onChange } = this.#binding
    const close = (): void => this.close()
    closing.addEventListener('abort', close, { once: true })
    const unheard = onChange((change) => this.#hear(change))
    this.#end = () => {
      closing.removeEventListener('abort', close)
      unheard()
    }
    if (freshness.isShared) void this.#keep()
  }

  get ready(): boolean {
    const { gate } = this.#binding
    try {
      this.#check()
      gate.check()
      if (!this.#standing.isReady()) return false
      const { mount, call } = this.#standing.callTarget()
      return mount.executor.holds(this.#holding.load, call)
    } catch {
      return false
    }
  }

  /** What a call meets that began before this one may be older than it. */
  refresh(): Promise<void> {
    if (this.#next) return this.#next
    const begin = (): Promise<void> => {
      this.#next = undefined
      const running = this.#load().finally(() => {
        if (this.#running === running) this.#running = undefined
      })
      this.#running = running
      return running
    }
    if (!this.#running) return begin()
    this.#next = this.#running.then(begin, begin)
    return this.#next
  }

  close(): void {
    if (this.#over.signal.aborted) return
    this.#over.abort()
    this.#end()
  }

  method(method: SyncMethod): (value: unknown, options?: Values) => unknown {
    const { operation, resultMember: answer } = method
    const { access, gate } = this.#binding
    const parsed = syncArguments(method)
    const form = itemForm(operation)
    let current: Values | undefined
    /** The last call, and the same by somebody who cannot wait. */
    let usual: Call | undefined
    let call: Call | undefined
    const run = (spot: CallTarget, isFresh: boolean): Outcome<Values> => {
      // Whoever called has been refused, where this is reached after a wait.
      if (!current) throw notReady()
      if (!call || usual !== spot.call) {
        usual = spot.call
        call = { ...usual, sync: true }
      }
      const outcome = spot.mount.executor.itemNow(operation, current, call, isFresh)
      if (outcome) return outcome
      const [input, late] = [current, call]
      this.#catchUp(() => spot.mount.executor.admitSlowly(operation, input, late))
      throw this.#refusal ?? notReady()
    }
    return (value, options = NO_OPTIONS) => {
      if (typeof options !== 'object' || options === null) throw new TypeError('options: must be an object of named arguments')
      this.#check()
      gate.check(operation.onDrSecondary)
      const input = parsed(value, options, access.inspectsParameters ? MAX_INSPECTED_BYTES : MAX_BYTES)
      const outer = current
      current = input
      try {
        const outcome = access.enter(form, input, run)
        if (!(outcome instanceof Promise)) return outcome.value[answer]
        outcome.catch(() => {})
        this.#catchUp()
        throw notReady()
      } finally {
        current = outer
      }
    }
  }

  #check(): void {
    if (this.#over.signal.aborted) {
      // A closed kernel says so itself.
      this.#binding.gate.check()
      throw new TypeError('the handle is closed')
    }
  }

  async #load(): Promise<void> {
    const { gate } = this.#binding
    this.#check()
    gate.check()
    await gate.track(this.#loadNow())
  }

  async #loadNow(): Promise<void> {
    const { load, trigger: follows, reserve } = this.#holding
    const { mount, call } = await this.#standing.prepare()
    this.#key = mount.keyspace.prefix(follows.kind) + follows.id
    const heard = this.#heard
    try {
      await mount.executor.hold(load, call, reserve)
      this.#refusal = undefined
    } catch (error) {
      if (error instanceof KernelError && error.status < 500 && heard === this.#heard) this.#refusal = error
      throw error
    }
  }

  /** Looks ahead of time, so that nothing is too old when a call comes, however seldom they come. */
  async #keep(): Promise<void> {
    const { freshness } = this.#standing
    const { signal } = this.#over
    while (!signal.aborted) {
      try {
        await this.#binding.clock.sleep(Math.max(1, freshness.bound / REFRESHES_PER_BOUND), signal)
        freshness.ask()
        await this.refresh()
      } catch {
        // Calls are refused while this fails, and learn why from the asynchronous methods.
      }
    }
  }

  /** Hears of a change before the caches do. */
  #hear({ keys }: Change): void {
    if (keys && !(this.#key !== undefined && keys.includes(this.#key))) return
    this.#heard++
    this.#refusal = undefined
    void Promise.resolve().then(() => this.#catchUp())
  }

  /** One at a time: a loop of refused calls begins one load. @param more What the refused call needs beside. */
  #catchUp(more?: () => Promise<void>): void {
    if (this.#catchingUp || this.#over.signal.aborted) return
    this.#catchingUp = true
    const over = (): void => {
      this.#catchingUp = false
    }
    this.refresh()
      .then(() => more && this.#binding.gate.track(more()))
      .then(over, over)
  }
}
