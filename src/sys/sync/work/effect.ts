/** The effect of secret sync: one turn of an association, started by `set`, `remove` or a tick. */
import { effect } from '../../../core/contract/effect.ts'
import { EFFECT } from './begin.ts'
import { finishTurn } from './finish.ts'
import { performTurn, TURN_MS } from './perform.ts'
import { repair } from './repair.ts'

export const SYNC_EFFECT = /* @__PURE__ */ effect({
  ...EFFECT,
  replicated: true,
  timeoutMs: TURN_MS,
  perform: performTurn,
  finish: finishTurn,
  onSuperseded: (tx, { id }, outcome) => {
    if (outcome) repair(tx, id, outcome.accessor, outcome.asked)
  },
  // The recovery reads the desired state again, and assumes nothing about the external state.
  recover: { perform: (turn, outside) => performTurn({ ...turn, force: true, again: true }, outside), finish: finishTurn },
})
