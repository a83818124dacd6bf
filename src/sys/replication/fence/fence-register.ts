/** The fence register of one set. Every call has a time limit, and the results are validated. */
import { NoAnswer } from '../../../core/base/deadline.ts'
import { KernelError } from '../../../core/base/errors.ts'
import type { FencePort } from '../../../core/contract/fence-port.ts'
import type { SetHost } from '../state/set-host.ts'
import { type FenceRecord, formatFenceRecord, parseFenceRecord } from './fence-record.ts'

const CALL_MS = 5000

/** A value read from the register. */
export interface RegisterValue {
  readonly text: string
  /** Undefined if the value was not written by a kernel. */
  readonly record: FenceRecord | undefined
}

export class FenceRegister {
  readonly #host: SetHost
  readonly #port: FencePort
  readonly #name: string

  /** @param set The UUID of the set. */
  constructor(host: SetHost, port: FencePort, set: string) {
    this.#host = host
    this.#port = port
    this.#name = `${host.kind.name}/${set}`
  }

  /** @throws KernelError 503 if the call failed. */
  async read(): Promise<RegisterValue | undefined> {
    const text = await this.#ask('read', (signal) => this.#port.read(this.#name, signal))
    if (text === undefined) return undefined
    if (typeof text !== 'string')
      throw new KernelError('ERR_UNAVAILABLE', 'replication.fence: read must return a text or undefined')
    return { text, record: parseFenceRecord(text) }
  }

  /**
   * Compare-and-set: replaces the value `from`, or writes the first value if `from` is undefined. Returns false if the value is another one.
   * @throws KernelError 503 if the call failed. The value may have been replaced despite the error.
   */
  async swap(from: string | undefined, to: FenceRecord): Promise<boolean> {
    const done: unknown = await this.#ask('swap', (signal) => this.#port.swap(this.#name, from, formatFenceRecord(to), signal))
    if (typeof done !== 'boolean') throw new KernelError('ERR_UNAVAILABLE', 'replication.fence: swap must return a boolean')
    return done
  }

  async #ask<T>(method: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { deadline } = this.#host.env
    const what = `replication.fence.${method}`
    try {
      return await deadline.call({ name: what, call: ask, ms: Math.min(CALL_MS, deadline.ms) })
    } catch (cause) {
      const why = cause instanceof NoAnswer ? 'does not answer' : 'fails'
      throw new KernelError('ERR_UNAVAILABLE', `replication.fence ${why}: it is unknown which cluster may write`, { cause })
    }
  }
}
