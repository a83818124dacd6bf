/**
 * Synchronous calls.
 *
 * A synchronous call runs the same code as the asynchronous method: it parses the arguments, finds the mount, authorizes the token, writes
 * audit entries, and reads cached records. If that code would have to wait, the call throws an error, and the missing data is loaded in the
 * background. So a synchronous call never uses data that the asynchronous method would not use.
 */
import { KernelError } from '../base/errors.ts'
import { SLICE_BYTES } from '../base/steps.ts'
import type { SyncCallHandle, SyncCallPlan, SyncMethod } from '../contract/sync-call.ts'
import type { Call } from '../contract/tx.ts'
import type { Values } from '../field/parse.ts'
import type { Change } from '../storage/port.ts'
import type { OperationOutcome } from '../transaction/runner.ts'
import type { ViewBinding } from './binding.ts'
import { NO_OPTIONS, syncArguments } from './sync-arguments.ts'
import type { SyncCallContext } from './sync-call-context.ts'
import type { CallTarget } from './typed-access.ts'
import { itemForm } from './typed-form.ts'

/**
 * The maximum total size in bytes of the strings and byte arrays in the arguments. The slowest hash of the noble libraries takes 17 ms for
 * arguments of this size.
 */
const MAX_BYTES = 2 * SLICE_BYTES

/**
 * The maximum size if calls have a token or are audited. It is smaller, because policies and the audit log read the arguments and results
 * without pauses.
 */
const MAX_INSPECTED_BYTES = SLICE_BYTES / 4

/** The number of times that the caches are refreshed within the staleness limit. */
const REFRESHES_PER_BOUND = 4

const notReady = (): KernelError =>
  new KernelError(
    'ERR_NOT_READY',
    'a record that the call needs is not loaded or may be out of date; it is being loaded, and refresh() waits for it',
  )

export class SyncCalls implements SyncCallHandle {
  readonly #binding: ViewBinding
  readonly #context: SyncCallContext
  readonly #plan: SyncCallPlan
  readonly #over = new AbortController()
  /** Removes the listeners that {@link open} added. */
  #end = (): void => {}
  /** When the record with this storage key changes, the records are loaded again. */
  #key: string | undefined
  /** The error of the last load, if it was a refusal. Reset when a change is reported. */
  #refusal: KernelError | undefined
  /** The number of changes of records that were reported since the handle was created. */
  #heard = 0
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #catchingUp = false

  constructor(binding: ViewBinding, plan: SyncCallPlan) {
    this.#binding = binding
    this.#context = binding.syncCallContext()
    this.#plan = plan
  }

  async open(): Promise<void> {
    const { freshness } = this.#context
    if (freshness.isShared && freshness.stalenessMs === 0)
      throw new KernelError(
        'ERR_UNSUPPORTED_OPERATION',
        'keyHandle: cache.stalenessMs is 0, so every call would have to query the shared storage; set a greater value',
      )
    try {
      await this.refresh()
    } catch (error) {
      // If the calls have a token, do not report that the key is missing: at each call, policies decide whether the caller may learn that.
      if (!this.#context.hasToken || error !== this.#refusal) throw error
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
      if (!this.#context.isReady()) return false
      const { mount, call } = this.#context.callTarget()
      return mount.executor.items.isLoaded(this.#plan.load, call)
    } catch {
      return false
    }
  }

  /**
   * Loads the records. If a load is already running, starts another load after it, because the running load may have read records that have
   * changed since.
   */
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
    /** The call object that `run` got last, and its copy that is marked as synchronous. */
    let usual: Call | undefined
    let call: Call | undefined
    const run = (target: CallTarget, isFresh: boolean): OperationOutcome<Values> => {
      // `current` is undefined if the call had to wait. The synchronous caller has then already got an error, so this result is not used.
      if (!current) throw notReady()
      if (!call || usual !== target.call) {
        usual = target.call
        call = { ...usual, sync: true }
      }
      const outcome = target.mount.executor.items.runSync(operation, current, call, isFresh)
      if (outcome) return outcome
      const [input, late] = [current, call]
      this.#catchUp(() => target.mount.executor.items.load(operation, input, late))
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
      // If the kernel is closed, throw the kernel's error instead of the error below.
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
    const { load, trigger, reserve } = this.#plan
    const { mount, call } = await this.#context.prepare()
    this.#key = mount.keyspace.prefix(trigger.kind) + trigger.id
    const heard = this.#heard
    try {
      await mount.executor.items.preload(load, call, reserve)
      this.#refusal = undefined
    } catch (error) {
      if (error instanceof KernelError && error.status < 500 && heard === this.#heard) this.#refusal = error
      throw error
    }
  }

  /** Refreshes the caches in advance, so that they are fresh even if calls are rare. */
  async #keep(): Promise<void> {
    const { freshness } = this.#context
    const { signal } = this.#over
    while (!signal.aborted) {
      try {
        await this.#binding.clock.sleep(Math.max(1, freshness.stalenessMs / REFRESHES_PER_BOUND), signal)
        freshness.renewInBackground()
        await this.refresh()
      } catch {
        // Ignore the error: until a refresh succeeds, calls throw, and the asynchronous methods report the reason.
      }
    }
  }

  /** Called for each change before the change is applied to the caches. If the change affects the loaded records, loads them again. */
  #hear({ keys }: Change): void {
    if (keys && !(this.#key !== undefined && keys.includes(this.#key))) return
    this.#heard++
    this.#refusal = undefined
    void Promise.resolve().then(() => this.#catchUp())
  }

  /**
   * Loads missing records in the background. Only one load runs at a time, so failing calls in a loop start only one. @param more Loads
   * additional records that the failed call needs.
   */
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
