import type { Clock } from '../../core/base/clock.ts'

/** Decides when background work that is repeated at an interval is due. The first run is due at once. */
export class Schedule {
  readonly #clock: Clock
  readonly #intervalMs: number
  #last: number | undefined

  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock
    this.#intervalMs = intervalMs
  }

  /** Whether the interval has passed since the last run. A clock that was set back also makes the work due. */
  get isDue(): boolean {
    return this.#last === undefined || Math.abs(this.#clock.now() - this.#last) >= this.#intervalMs
  }

  /** Notes that a run begins now. */
  begin(): void {
    this.#last = this.#clock.now()
  }

  /** Makes the next run due at once. */
  expedite(): void {
    this.#last = undefined
  }
}
