/**
 * The reading of one entry from a body.
 */
import { invalid } from '../../../core/base/errors.ts'
import { Pace } from '../../../core/base/steps.ts'

/** Unknown keys that a refusal lists; the rest are counted. */
const MOST_LISTED = 50

/** The longest part of a key that a refusal shows. */
const LONGEST_SHOWN = 200

/** Values in the free maps of one entry: far more than anybody uses. */
const MOST_VALUES = 100_000

export class Reading {
  readonly pace = new Pace()
  readonly #unknown: string[] = []
  #more = 0
  #values = 0

  unknown(path: string): void {
    if (this.#unknown.length < MOST_LISTED) this.#unknown.push(path.slice(0, LONGEST_SHOWN))
    else this.#more++
  }

  /** Counts a value of a free map. @throws KernelError 400 */
  count(path: string): void {
    if (++this.#values > MOST_VALUES) throw invalid(`${path}: free maps hold at most ${MOST_VALUES} values together`)
  }

  /** @throws KernelError 400 that names all unknown keys. */
  end(): void {
    if (this.#unknown.length === 0) return
    const lines = this.#unknown.map((path) => `invalid config key ${JSON.stringify(path)}`)
    if (this.#more > 0) lines.push(`and ${this.#more} more`)
    throw invalid(lines.join('\n'))
  }
}
