/**
 * Whether a history of concurrent calls is linearizable: each call takes effect at one moment between its beginning and its end. This is
 * Wing and Gong's search in the form of Lowe, "Testing for linearizability" (2017): calls are placed in the order of their beginnings and
 * taken back at the first end of a call that is not placed, and no state is tried twice after the same calls. A call that changes nothing
 * is placed at the first position that fits and tried nowhere else: if an order with a later position exists, one with the first position
 * exists too.
 */

export interface Timed<O> {
  readonly op: O
  readonly start: number
  /** Infinite if the outcome is unknown: the call may take effect at any time, or never. */
  readonly end: number
}

export interface Model<S, O> {
  readonly initial: S
  /** The state after the call; undefined if the call could not have this result. */
  step(state: S, op: O): S | undefined
  /** A text that is equal for equal states. */
  name(state: S): string
}

/** The beginning or the end of a call in the list of calls to be placed. */
interface Mark {
  readonly call: number
  readonly at: number
  readonly isEnd: boolean
  previous: Mark | undefined
  next: Mark | undefined
}

/** The set of placed calls: all calls below the first missing one, and a few above it. */
class Placed {
  readonly #is: Uint8Array
  #low = 0
  #high = 0

  constructor(calls: number) {
    this.#is = new Uint8Array(calls)
  }

  get low(): number {
    return this.#low
  }

  add(call: number): void {
    this.#is[call] = 1
    this.#high = Math.max(this.#high, call + 1)
    while (this.#is[this.#low] === 1) this.#low++
  }

  delete(call: number): void {
    this.#is[call] = 0
    this.#low = Math.min(this.#low, call)
    while (this.#high > this.#low && this.#is[this.#high - 1] === 0) this.#high--
  }

  /** A text that is equal for equal sets. */
  name(): string {
    const above: number[] = []
    for (let call = this.#low; call < this.#high; call++) if (this.#is[call] === 1) above.push(call)
    return `${this.#low}:${above}`
  }
}

/** Undefined for a linearizable history. Otherwise the last call, in order of beginnings, up to which an order was found. */
export function firstFault<S, O>(model: Model<S, O>, history: readonly Timed<O>[]): Timed<O> | undefined {
  const calls = history.toSorted((a, b) => a.start - b.start)
  const { head, beginnings, ends } = marksOf(calls)
  const placed = new Placed(calls.length)
  const tried = new Set<string>()
  const path: { readonly call: number; readonly before: S; readonly isFree: boolean }[] = []
  let state = model.initial
  let furthest = 0
  let mark = head.next
  while (mark && mark.at !== Number.POSITIVE_INFINITY) {
    if (!mark.isEnd) {
      const { call } = mark
      const after = model.step(state, (calls[call] as Timed<O>).op)
      if (after !== undefined) {
        placed.add(call)
        const isFree = after === state && (calls[call] as Timed<O>).end !== Number.POSITIVE_INFINITY
        const where = isFree ? '' : `${placed.name()} ${model.name(after)}`
        if (isFree || !tried.has(where)) {
          if (!isFree) tried.add(where)
          path.push({ call, before: state, isFree })
          state = after
          unlink(mark)
          unlink(ends[call] as Mark)
          furthest = Math.max(furthest, placed.low)
          mark = head.next
          continue
        }
        placed.delete(call)
      }
      mark = mark.next
      continue
    }
    // This call has ended without being placed, so a call placed earlier is in the wrong position.
    for (;;) {
      const last = path.pop()
      if (!last) return calls[Math.min(furthest, calls.length - 1)]
      state = last.before
      placed.delete(last.call)
      relink(ends[last.call] as Mark)
      relink(beginnings[last.call] as Mark)
      mark = (beginnings[last.call] as Mark).next
      if (!last.isFree) break
    }
  }
  return undefined
}

function marksOf<O>(calls: readonly Timed<O>[]) {
  const mark = (call: number, at: number, isEnd: boolean): Mark => ({ call, at, isEnd, previous: undefined, next: undefined })
  const beginnings = calls.map(({ start }, call) => mark(call, start, false))
  const ends = calls.map(({ end }, call) => mark(call, end, true))
  // At the same moment beginnings come first. The calls then overlap, which allows more orders.
  const order = [...beginnings, ...ends].sort((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd))
  const head = mark(-1, Number.NEGATIVE_INFINITY, false)
  let last = head
  for (const next of order) {
    last.next = next
    next.previous = last
    last = next
  }
  return { head, beginnings, ends }
}

function unlink(mark: Mark): void {
  if (mark.previous) mark.previous.next = mark.next
  if (mark.next) mark.next.previous = mark.previous
}

/** Undoes the last {@link unlink} that was not undone yet. */
function relink(mark: Mark): void {
  if (mark.previous) mark.previous.next = mark
  if (mark.next) mark.next.previous = mark
}
