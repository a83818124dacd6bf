/** Acknowledges to the primary the position up to which this cluster has stored its records. */
import { type History, lastOf } from '../state/history.ts'
import type { ReplicaProgress } from '../state/records.ts'
import type { PrimaryClient } from './primary-client.ts'

export class PositionAcknowledger {
  readonly #client: PrimaryClient
  /** The position that was last acknowledged. */
  #acknowledged = ''

  constructor(client: PrimaryClient) {
    this.#client = client
  }

  /** Acknowledges the stored position, unless it was acknowledged before, or the data differs from the primary's. */
  async send({ differs, applied: index, view = '' }: ReplicaProgress, history: History, signal: AbortSignal): Promise<void> {
    if (differs) return
    const { origin } = lastOf(history)
    const position = `${origin} ${index} ${view}`
    if (position === this.#acknowledged) return
    await this.#client.ask({ kind: 'held', origin, index, view }, signal)
    this.#acknowledged = position
  }

  /** Makes the next call send the position again: the kernel of the primary that received the last one may no longer run. */
  sendAgain(): void {
    this.#acknowledged = ''
  }
}
