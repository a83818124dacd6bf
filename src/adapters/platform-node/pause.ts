/**
 * Resolves in a later turn of the event loop, after pending input and output.
 *
 * All calls that wait would resume in the same turn, and much work would make that turn long. So a turn has a time limit: calls that have
 * not resumed by then wait for another turn.
 */

/** The time limit of a turn in milliseconds. */
const TURN = 2

/** The time at which the first call of this turn resumed; undefined between turns. */
let began: number | undefined

const endTurn = (): void => {
  began = undefined
}

function goOn(resolve: () => void): void {
  const now = performance.now()
  if (began === undefined) {
    began = now
    // `endTurn` runs first in the next turn, because all other calls of that turn are queued later.
    setImmediate(endTurn)
  } else if (now - began > TURN) {
    setImmediate(goOn, resolve)
    return
  }
  resolve()
}

export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(goOn, resolve))
