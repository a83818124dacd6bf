/**
 * The reading of one entry from a body.
 */
import { invalid } from '../../../core/base/errors.ts'
import { Pace } from '../../../core/base/steps.ts'

/** Unknown keys that a refusal lists; the rest are counted. */
const MAX_UNKNOWN_KEYS_SHOWN = 50

/** The longest part of a key that a refusal shows. */
const MAX_SHOWN_CHARACTERS = 200

/** Values in the free maps of one entry: far more than anybody uses. */
const MAX_FREE_VALUES = 100_000

export class EntryReading {
  readonly pace = new Pace()
  readonly #unknown: string[] = []
  #more = 0
  #values = 0

  addUnknown(path: string): void {
    if (this.#unknown.length < MAX_UNKNOWN_KEYS_SHOWN) this.#unknown.push(path.slice(0, MAX_SHOWN_CHARACTERS))
    else this.#more++
  }

  /** Counts a value of a free map. @throws KernelError 400 */
  countValue(path: string): void {
    if (++this.#values > MAX_FREE_VALUES) throw invalid(`${path}: free maps hold at most ${MAX_FREE_VALUES} values together`)
  }

  /** @throws KernelError 400 that names all unknown keys. */
  refuseUnknown(): void {
    if (this.#unknown.length === 0) return
    const lines = this.#unknown.map((path) => `invalid config key ${JSON.stringify(path)}`)
    if (this.#more > 0) lines.push(`and ${this.#more} more`)
    throw invalid(lines.join('\n'))
  }
}
