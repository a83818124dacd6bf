/**
 * The devices that every entry goes to. Room: core/audit. Imported by the request layer; made by audit.ts, anew whenever they change.
 */
import type { TokenCaller } from '../auth/caller.ts'
import { type Clock, rfc3339 } from '../clock.ts'
import type { Entropy } from '../entropy.ts'
import { KernelError } from '../errors.ts'
import type { Eventually } from '../eventually.ts'
import type { Device } from './device.ts'
import type { HeaderRecord } from './records.ts'

export interface TrailParts {
  readonly devices: readonly Device[]
  /** Request headers that are written, by their names in lower case. */
  readonly headers: ReadonlyMap<string, HeaderRecord>
  readonly clock: Clock
  readonly entropy: Entropy
  /** Who a token that was just handed out is. */
  readonly identify: (token: string) => Eventually<TokenCaller | undefined>
  /** An entry was written, or could not be: told to whoever anchors and tells. */
  readonly written: (device: Device, failure: unknown) => void
}

export class Trail {
  readonly parts: TrailParts

  #at = 0
  #time = ''

  constructor(parts: TrailParts) {
    this.parts = parts
  }

  /** RFC 3339. Entries come in bursts, and a time of day is as good as the clock's millisecond. */
  get time(): string {
    const now = this.parts.clock.now()
    if (now !== this.#at) {
      this.#at = now
      this.#time = rfc3339(now)
    }
    return this.#time
  }

  get devices(): readonly Device[] {
    return this.parts.devices
  }

  /** A request began that will write to the devices as they are now. */
  enter(): void {
    for (const device of this.devices) device.enter()
  }

  leave(): void {
    for (const device of this.devices) device.leave()
  }

  /**
   * Writes an entry to every device.
   * @param entry Its text for a device, without the closing brace.
   * @param committed Whether what it is about took effect.
   * @throws KernelError ERR_AUDIT where a device that must have it did not take it, or none did.
   */
  write(entry: (device: Device, index: number) => Eventually<string>, committed: boolean): Eventually<void> {
    const { devices } = this
    const waiting: Promise<void>[] = []
    let taken = 0
    let missed: unknown
    const took = (device: Device): void => {
      taken++
      this.parts.written(device, undefined)
    }
    const failed = (device: Device, failure: unknown): void => {
      if (device.required || devices.length === 1) missed = failure
      this.parts.written(device, failure)
    }
    devices.forEach((device, index) => {
      try {
        const text = entry(device, index)
        const written = text instanceof Promise ? text.then((line) => device.write(line)) : device.write(text)
        if (written instanceof Promise)
          waiting.push(
            written.then(
              () => took(device),
              (failure: unknown) => failed(device, failure),
            ),
          )
        else took(device)
      } catch (failure) {
        failed(device, failure)
      }
    })
    const judge = (): void => {
      if (missed !== undefined || taken === 0) throw refusal(missed, committed)
    }
    return waiting.length > 0 ? Promise.all(waiting).then(judge) : judge()
  }
}

const refusal = (cause: unknown, committed: boolean): KernelError =>
  new KernelError(
    'ERR_AUDIT',
    committed
      ? 'the request was done, but its answer is withheld: it could not be written to the audit log'
      : 'nothing was done: the request could not be written to the audit log',
    { cause, details: { committed } },
  )
