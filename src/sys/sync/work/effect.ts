/**
 * The one effect of secret sync: a turn at an association, by `set`, `remove`, or a tick.
 */
import { effect } from '../../../core/contract/effect.ts'
import { EFFECT } from './begin.ts'
import { finish } from './finish.ts'
import { perform, TURN_MS } from './perform.ts'
import { repair } from './repair.ts'

export const SYNC_EFFECT = /* @__PURE__ */ effect({
  ...EFFECT,
  replicated: true,
  timeoutMs: TURN_MS,
  perform,
  finish,
  overtaken: (tx, { id }, outcome) => {
    if (outcome) repair(tx, id, outcome.accessor, outcome.asked)
  },
  // It reads what is wanted at that moment, and begins with that: nothing is taken for known.
  recover: { perform: (turn, outside) => perform({ ...turn, force: true, again: true }, outside), finish },
})
