/** The memory budget of a handler: bodies from the first byte read, and answers until their last byte is sent. */

/** Counts bytes that are held. */
export interface Budget {
  /** Whether there is room for this many more bytes, which then count as held. */
  take(bytes: number): boolean
  giveBack(bytes: number): void
}

/** The budget of all requests of a handler. */
export class MemoryBudget implements Budget {
  readonly #max: number
  #held = 0

  /** @param max Bytes. */
  constructor(max: number) {
    this.#max = max
  }

  /** Bytes held now. They exceed the budget by no more than the allowance of each connection. */
  get held(): number {
    return this.#held
  }

  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max) return false
    this.#held += bytes
    return true
  }

  /** Counts bytes whether or not there is room. */
  hold(bytes: number): void {
    this.#held += bytes
  }

  giveBack(bytes: number): void {
    this.#held -= bytes
  }
}

/** Bytes that a connection may hold while the budget is used up, so that small requests are still answered. */
export const CONNECTION_ALLOWANCE_BYTES = 65_536

/** The budget of one connection: its first bytes are never refused. */
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

/** The part of a budget that one body or one answer uses. */
export class BudgetShare {
  readonly #budget: Budget
  #bytes = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Bytes taken and not given back. */
  get bytes(): number {
    return this.#bytes
  }

  /** Whether the budget has room for this many more bytes, which are then taken. */
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
