/** The memory budget of a handler. It counts bodies from their first byte, and answers until their last byte is sent. */

/** A limit on the number of bytes in use. */
export interface Budget {
  /** Takes this many bytes if they are available. Returns whether it took them. */
  take(bytes: number): boolean
  giveBack(bytes: number): void
}

/** The budget of all requests of a handler. */
export class MemoryBudget implements Budget {
  readonly #max: number
  #held = 0

  /** @param max The maximum number of bytes. */
  constructor(max: number) {
    this.#max = max
  }

  /** The number of bytes in use. It can exceed the maximum by at most the sum of the connections' allowances. */
  get held(): number {
    return this.#held
  }

  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max) return false
    this.#held += bytes
    return true
  }

  /** Takes bytes even if they exceed the maximum. */
  hold(bytes: number): void {
    this.#held += bytes
  }

  giveBack(bytes: number): void {
    this.#held -= bytes
  }
}

/** The bytes that a connection may use even if the budget is used up, so that small requests are still answered. */
export const CONNECTION_ALLOWANCE_BYTES = 65_536

/** One connection's use of the budget. Its first `allowance` bytes are never refused, even if the budget is used up. */
export class ConnectionBudget implements Budget {
  readonly #all: MemoryBudget
  readonly #allowance: number
  #held = 0

  constructor(all: MemoryBudget, allowance: number = CONNECTION_ALLOWANCE_BYTES) {
    this.#all = all
    this.#allowance = allowance
  }

  take(bytes: number): boolean {
    if (this.#held + bytes <= this.#allowance) this.#all.hold(bytes)
    else if (!this.#all.take(bytes)) return false
    this.#held += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#all.giveBack(bytes)
    this.#held -= bytes
  }
}

/** The bytes that one body or one answer uses. */
export class BudgetShare {
  readonly #budget: Budget
  #bytes = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** The bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Takes this many more bytes if they are available. Returns whether it took them. */
  take(bytes: number): boolean {
    const taken = this.#budget.take(bytes)
    if (taken) this.#bytes += bytes
    return taken
  }

  giveBack(): void {
    if (this.#bytes > 0) this.#budget.giveBack(this.#bytes)
    this.#bytes = 0
  }
}
