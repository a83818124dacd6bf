/**
 * Resolves in a later turn of the event loop, after pending input and output.
 *
 * All that became ready in one turn goes on in the next; of many long ones that would be one long turn. Those that find this turn used up
 * wait for another.
 */

/** Milliseconds. */
const TURN = 2

/** When the first of this turn went on; undefined between turns. */
let began: number | undefined

const endTurn = (): void => {
  began = undefined
}

function goOn(resolve: () => void): void {
  const now = performance.now()
  if (began === undefined) {
    began = now
    // Comes first in the next turn: whoever waits was put behind it.
    setImmediate(endTurn)
  } else if (now - began > TURN) {
    setImmediate(goOn, resolve)
    return
  }
  resolve()
}

export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(goOn, resolve))
