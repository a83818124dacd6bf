/** An audit device: a sink together with its salt, chain and format. */
import type { Clock } from '../base/clock.ts'
import { type Deadline, NoAnswer } from '../base/deadline.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import { Slices } from '../base/slices.ts'
import { isSteps } from '../base/steps.ts'
import { AuditEntry } from '../contract/audit-entry.ts'
import type { AuditFormat, AuditSink } from '../contract/audit-port.ts'
import type { TokenCaller } from '../contract/caller.ts'
import type { CryptoBackend, MacKey } from '../crypto/backend.ts'
import { jsonTextSoon } from '../json/json-text.ts'
import { CallerText } from './caller-text.ts'
import { Chain, type ChainedEntry, type ChainHead } from './chain.ts'
import { type Hasher, hashedFew, hashedText, PLAIN, SaltedHasher } from './hashing.ts'
import { partsOf } from './records.ts'
import { SinkCircuitBreaker } from './sink-circuit-breaker.ts'

interface DeviceParts extends AuditFormat {
  readonly name: string
  readonly sink: AuditSink
  /** Whether every entry must be stored in this sink. */
  readonly required: boolean
  /** Whether a factory made the sink. If so, the kernel closes it. */
  readonly own: boolean
  /** The id under which the store has the device's secret and chains. */
  readonly owner: string
  /** The id of the device's chain. */
  readonly chain: string
  /** The salt and the chain key. The constructor reads them and does not keep the array. */
  readonly secret: Uint8Array
  readonly crypto: CryptoBackend
  readonly clock: Clock
  readonly deadline: Deadline
}

/** Closes a sink. Ignores errors. */
export const closeSink = (sink: AuditSink, deadline: Deadline): Promise<void> =>
  deadline.call<void>({ name: 'an audit sink', call: (signal) => sink.close?.(signal), beyondClose: true }).catch(() => {})

export class Device {
  readonly name: string
  readonly owner: string
  /** Whether a request enabled the device. Otherwise it is a sink of the application. */
  readonly enabled: boolean
  readonly required: boolean
  readonly elides: boolean
  /** Always hashes, even if `log_raw` is set. Used for headers that must be hashed. */
  readonly salted: Hasher
  /** Hashes values; if `log_raw` is set, leaves them unchanged. */
  readonly hasher: Hasher
  readonly chain: Chain
  readonly #parts: DeviceParts
  readonly #keys: readonly MacKey[]
  /** Keyed by caller, because the requests of a cached caller share one object. */
  readonly #callers = new WeakMap<TokenCaller, CallerText>()
  /** The last pending write. The next entry waits for it. */
  #last: Promise<void> | undefined
  /** Set after a write timed out. Removed after the sink stored an entry again. */
  #breaker: SinkCircuitBreaker | undefined
  /** The number of running requests, which may still write entries. */
  #running = 0
  #retired = false

  constructor(parts: DeviceParts) {
    const { name, required, secret, crypto } = parts
    const { salt, key } = partsOf(secret)
    this.name = name
    this.owner = parts.owner
    this.enabled = parts.own
    this.required = required
    this.elides = parts.elide_list_responses === true
    this.#keys = [crypto.hmac('sha2-256', salt), crypto.hmac('sha2-256', key)]
    this.salted = new SaltedHasher(this.#keys[0] as MacKey)
    this.hasher = parts.log_raw === true ? PLAIN : this.salted
    this.chain = new Chain(parts.chain, this.#keys[1] as MacKey)
    this.#parts = parts
  }

  /** Whether requests must wait for the sink, because it has no method `writeSync`. */
  get waits(): boolean {
    return this.#parts.sink.writeSync === undefined
  }

  textOf(caller: TokenCaller): CallerText {
    const known = this.#callers.get(caller)
    if (known) return known
    // The caller of a call that a secondary forwarded has policy names but no token.
    const token = caller.text === '' ? '' : this.hasher.text(caller.text)
    const text = new CallerText(caller, token, this.accessor(caller.token.accessor))
    this.#callers.set(caller, text)
    return text
  }

  accessor(text: string): string {
    return text === '' || this.#parts.hmac_accessor === false ? text : this.hasher.text(text)
  }

  /** `data` as JSON text with hashed values. Returns a promise only for large data. */
  data(data: object, clear: readonly string[]): MaybePromise<string> {
    const few = hashedFew(data, this.hasher, clear)
    if (few !== undefined) return few
    const steps = hashedText(data, this.hasher, clear)
    const first = steps.next()
    return first.done ? first.value : new Slices(this.#parts.clock).drive(steps)
  }

  /** `data` as JSON text without hashing. */
  plain(data: object): MaybePromise<string> {
    const text = jsonTextSoon(data)
    return isSteps(text) ? new Slices(this.#parts.clock).drive(text) : text
  }

  /**
   * Writes an entry. Resolves when the sink has stored it.
   * @param entry The JSON text of an object without its closing brace.
   * @throws the sink's error
   */
  write(entry: string): MaybePromise<void> {
    this.#breaker?.check(this.#last !== undefined)
    if (this.#last) return this.#queue(entry)
    const linked = this.chain.link(entry)
    if (isSteps(linked)) return this.#later(new Slices(this.#parts.clock).drive(linked).then((line) => this.#put(line)))
    const put = this.#put(linked)
    return put instanceof Promise ? this.#later(put) : put
  }

  #queue(entry: string): Promise<void> {
    const turn = async () => {
      this.#breaker?.check(false)
      const linked = this.chain.link(entry)
      await this.#put(isSteps(linked) ? await new Slices(this.#parts.clock).drive(linked) : linked)
    }
    return this.#later((this.#last as Promise<void>).then(turn, turn))
  }

  #later(work: Promise<void>): Promise<void> {
    this.#last = work
    const done = () => {
      if (this.#last === work) this.#last = undefined
    }
    work.then(done, done)
    return work
  }

  #put(linked: ChainedEntry): MaybePromise<void> {
    const { sink } = this.#parts
    const entry = new AuditEntry(linked.line)
    if (sink.writeSync) {
      const written: unknown = sink.writeSync(entry)
      return isPromise(written) ? this.#answered(written, new AbortController(), linked) : this.#took(linked)
    }
    const stop = new AbortController()
    const written: unknown = sink.write(entry, stop.signal)
    return isPromise(written) ? this.#answered(written, stop, linked) : this.#took(linked)
  }

  #took(linked: ChainedEntry): void {
    this.chain.accept(linked)
    this.#breaker = undefined
  }

  async #answered(written: PromiseLike<unknown>, stop: AbortController, linked: ChainedEntry): Promise<void> {
    const { deadline, clock } = this.#parts
    const ask = (signal: AbortSignal): PromiseLike<unknown> => {
      signal.addEventListener('abort', () => stop.abort(signal.reason), { once: true })
      return written
    }
    try {
      await deadline.call({ name: `the audit sink ${this.name}`, call: ask, beyondClose: true })
      this.#took(linked)
    } catch (error) {
      if (error instanceof NoAnswer) {
        const breaker = new SinkCircuitBreaker(clock, deadline.ms)
        this.#breaker = breaker
        Promise.resolve(written).then(
          // The circuit breaker refused all entries after the timeout, so this entry is the last one that the sink stored.
          () => this.#took(linked),
          () => breaker.rest(),
        )
      } else this.#breaker?.rest()
      throw error
    }
  }

  get head(): ChainHead {
    return this.chain.head
  }

  enter(): void {
    this.#running++
  }

  leave(): void {
    this.#running--
    this.#endWhenIdle()
  }

  /** Called when the device is no longer used. The last running request wipes the salt and the key. */
  retire(): void {
    this.#retired = true
    this.#endWhenIdle()
  }

  #endWhenIdle(): void {
    if (!this.#retired || this.#running > 0) return
    for (const key of this.#keys) key.wipe()
    const { own, sink, deadline } = this.#parts
    if (own) void closeSink(sink, deadline)
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | undefined)?.then === 'function'
