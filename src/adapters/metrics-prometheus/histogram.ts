import { DURATION_BUCKETS } from '../telemetry/metrics.ts'

/** Counts durations by the buckets of {@link DURATION_BUCKETS}. */
export class Histogram {
  /** The number of durations in each bucket; the last one has those above all bounds. */
  readonly #counts = new Array<number>(DURATION_BUCKETS.length + 1).fill(0)
  #sum = 0

  record(seconds: number): void {
    this.#sum += seconds
    const found = DURATION_BUCKETS.findIndex((bound) => seconds <= bound)
    const at = found < 0 ? DURATION_BUCKETS.length : found
    this.#counts[at] = (this.#counts[at] as number) + 1
  }

  /** The sum of all durations in seconds. */
  get sum(): number {
    return this.#sum
  }

  /** For each upper bound: the number of durations up to this bound. The last bound is infinite. */
  get cumulative(): readonly (readonly [bound: number, count: number])[] {
    let count = 0
    return this.#counts.map((of, at) => {
      count += of
      return [DURATION_BUCKETS[at] ?? Number.POSITIVE_INFINITY, count]
    })
  }
}
