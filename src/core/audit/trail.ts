/** Writes entries to all audit devices. */
import { type Clock, rfc3339 } from '../base/clock.ts'
import type { Entropy } from '../base/entropy.ts'
import { KernelError } from '../base/errors.ts'
import type { MaybePromise } from '../base/maybe-promise.ts'
import type { TokenCaller } from '../contract/caller.ts'
import type { Device } from './device.ts'
import type { HeaderRecord } from './records.ts'

export interface TrailParts {
  readonly devices: readonly Device[]
  /** The request headers that are logged, keyed by their lower-case names. */
  readonly headers: ReadonlyMap<string, HeaderRecord>
  readonly clock: Clock
  readonly entropy: Entropy
  /** Finds the caller for a token that was just created. */
  readonly identify: (token: string) => MaybePromise<TokenCaller | undefined>
  /** Called after every write of an entry. It anchors the chains and reports failures. */
  readonly written: (device: Device, failure: unknown) => void
}

export class Trail {
  readonly parts: TrailParts

  #second = Number.NaN
  /** The current second in RFC 3339 format, up to the decimal point. */
  #front = ''

  constructor(parts: TrailParts) {
    this.parts = parts
  }

  /** The current time in RFC 3339 format. Many entries are written in the same second, so the text of the second is reused. */
  get time(): string {
    const now = Math.trunc(this.parts.clock.now())
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#front = rfc3339(second * 1000).slice(0, -'000Z'.length)
    }
    const millisecond = now - second * 1000
    return `${this.#front}${millisecond < 10 ? '00' : millisecond < 100 ? '0' : ''}${millisecond}Z`
  }

  get devices(): readonly Device[] {
    return this.parts.devices
  }

  /** The name of a sink that requests must wait for. Undefined if all sinks are synchronous. */
  get waits(): string | undefined {
    return this.devices.find(({ waits }) => waits)?.name
  }

  /** Called when a request begins that will write entries to the current devices. */
  enter(): void {
    for (const device of this.devices) device.enter()
  }

  leave(): void {
    for (const device of this.devices) device.leave()
  }

  /**
   * Writes an entry to every device.
   * @param entry Returns the entry for a device, as JSON text without the closing brace.
   * @param committed Whether the request took effect.
   * @throws KernelError ERR_AUDIT if a required device did not store the entry, or if no device stored it.
   */
  write(entry: (device: Device, index: number) => MaybePromise<string>, committed: boolean): MaybePromise<void> {
    const tally = new Tally(this.parts, committed)
    let waiting: Promise<void>[] | undefined
    for (let index = 0; index < this.devices.length; index++) {
      const device = this.devices[index] as Device
      try {
        const text = entry(device, index)
        const written = text instanceof Promise ? text.then((line) => device.write(line)) : device.write(text)
        if (written instanceof Promise) {
          waiting ??= []
          waiting.push(tally.await(device, written))
        } else tally.took(device)
      } catch (failure) {
        tally.failed(device, failure)
      }
    }
    return waiting ? Promise.all(waiting).then(() => tally.assertStored()) : tally.assertStored()
  }
}

/** Counts the devices that have stored an entry. */
class Tally {
  readonly #parts: TrailParts
  readonly #committed: boolean
  #taken = 0
  #missed: unknown

  constructor(parts: TrailParts, committed: boolean) {
    this.#parts = parts
    this.#committed = committed
  }

  took(device: Device): void {
    this.#taken++
    this.#parts.written(device, undefined)
  }

  failed(device: Device, failure: unknown): void {
    if (device.required || this.#parts.devices.length === 1) this.#missed = failure
    this.#parts.written(device, failure)
  }

  await(device: Device, written: Promise<void>): Promise<void> {
    return written.then(
      () => this.took(device),
      (failure: unknown) => this.failed(device, failure),
    )
  }

  assertStored(): void {
    if (this.#missed !== undefined || this.#taken === 0) throw refusal(this.#missed, this.#committed)
  }
}

const refusal = (cause: unknown, committed: boolean): KernelError =>
  new KernelError(
    'ERR_AUDIT',
    committed
      ? 'the request took effect, but its answer is withheld because it could not be written to the audit log'
      : 'the request had no effect because it could not be written to the audit log',
    { cause, details: { committed } },
  )
