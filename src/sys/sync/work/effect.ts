/** The effect of secret sync: one synchronization of an association (a turn), started by `set`, `remove` or a tick. */
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
  // The unfinished turn may have changed any external secret, so the recovery pushes all values again.
  recover: { perform: (turn, outside) => performTurn({ ...turn, force: true, again: true }, outside), finish: finishTurn },
})
