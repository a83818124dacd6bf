/**
 * Resolves in a later turn of the event loop, after pending input and output.
 *
 * All calls that wait would resume in the same turn, and much work would make that turn long. So a turn has a time limit: calls that have
 * not resumed by then wait for another turn.
 */

/** The time limit of a turn in milliseconds. */
const TURN = 2

/** The time at which the first long work of this turn began. Undefined until then. */
let began: number | undefined

const endTurn = (): void => {
  began = undefined
}

/**
 * Whether long work has used up the time limit of this turn. If so, further long work should pause before it begins. The time starts with
 * the first call in a turn, or with the first pause that ends in it.
 */
export function isTurnSpent(): boolean {
  const now = performance.now()
  if (began !== undefined) return now - began > TURN
  began = now
  // `endTurn` runs before all calls that pause from now on, because they are queued later.
  setImmediate(endTurn)
  return false
}

function goOn(resolve: () => void): void {
  if (isTurnSpent()) setImmediate(goOn, resolve)
  else resolve()
}

export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(goOn, resolve))
