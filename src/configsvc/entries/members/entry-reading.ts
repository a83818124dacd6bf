/** Collects the unknown keys of one entry while the entry is read, and limits the number of values that are read. */
import { invalid } from '../../../core/base/errors.ts'
import { Pace } from '../../../core/base/steps.ts'

/** The maximum number of unknown keys in an error message, which also contains the number of the remaining ones. */
const MAX_UNKNOWN_KEYS_SHOWN = 50

/** The maximum number of characters of a key in an error message. */
const MAX_SHOWN_CHARACTERS = 200

/** The maximum number of values in all free maps of one entry together. */
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

  /** Counts one value of a free map. @throws KernelError 400 */
  countValue(path: string): void {
    if (++this.#values > MAX_FREE_VALUES)
      throw invalid(`${path}: free maps of an entry must have at most ${MAX_FREE_VALUES} values together`)
  }

  /** @throws KernelError 400 that lists all unknown keys, if there are any. */
  refuseUnknown(): void {
    if (this.#unknown.length === 0) return
    const lines = this.#unknown.map((path) => `invalid config key ${JSON.stringify(path)}`)
    if (this.#more > 0) lines.push(`and ${this.#more} more`)
    throw invalid(lines.join('\n'))
  }
}
