/**
 * Resolves in a later turn of the event loop, after pending input and output.
 *
 * All work that waits for a turn continues in the same turn. Many long pieces would make that turn long, so work that finds the time of the
 * turn used up waits for another turn.
 */

/** The time limit of a turn in milliseconds. */
const TURN = 2

/** When the first work of this turn continued; undefined between turns. */
let began: number | undefined

const endTurn = (): void => {
  began = undefined
}

function goOn(resolve: () => void): void {
  const now = performance.now()
  if (began === undefined) {
    began = now
    // Runs first in the next turn, because waiting work was queued after it.
    setImmediate(endTurn)
  } else if (now - began > TURN) {
    setImmediate(goOn, resolve)
    return
  }
  resolve()
}

export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(goOn, resolve))
