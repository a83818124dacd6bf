/**
 * The client of a session: made when it is first needed, once, and given back.
 */
import { failed } from './failure.ts'

export class Lazy<T> {
  readonly #make: () => Promise<T>
  readonly #giveBack: (made: T) => Promise<void> | void
  #made: Promise<T> | undefined
  #closed: Promise<void> | undefined

  constructor(make: () => Promise<T>, giveBack: (made: T) => Promise<void> | void) {
    this.#make = make
    this.#giveBack = giveBack
  }

  /** What failed to be made is made anew at the next use. */
  get(): Promise<T> {
    if (this.#closed) return Promise.reject(failed('internal', 'closed'))
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined
      throw error
    })
    return this.#made
  }

  close(): Promise<void> {
    const made = this.#made
    this.#closed ??= made ? made.then(this.#giveBack, () => undefined) : Promise.resolve()
    return this.#closed
  }
}
