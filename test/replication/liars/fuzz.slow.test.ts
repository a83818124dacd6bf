/** Messages with several false members, generated from a seed. A failure reports the seed and the case; `SEED=...` repeats them. */
import { describe, expect, it } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { KINDS } from '../failovers/kinds.ts'
import { Dice } from '../simulation/dice.ts'
import { everyMessage } from './every-message.ts'
import { oneLieIn } from './mutations.ts'
import { LiarSet, type Message } from './set.ts'

const CASES = runs({ quick: 1000, soak: 50_000 })

const CHECKED_EVERY = 5000

const SEED = process.env['SEED'] ?? 'lies'

function drawn(genuine: readonly Message[], dice: Dice): Message {
  let message = dice.pick(genuine)
  for (let count = dice.int(1, 4); count > 0; count--) message = oneLieIn(message, (below) => dice.int(0, below - 1))
  return message
}

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s replication', (name, kind) => {
  it("changes no other cluster if several members of a secondary's message are false", async () => {
    const set = await LiarSet.make(kind)
    try {
      const genuine = [...(await everyMessage(set)).values()]
      for (let at = 0; at < CASES; at++) {
        const message = drawn(genuine, new Dice(`${SEED} ${name} ${at}`))
        expect(await set.exchangeMessage(message), `SEED=${SEED}, case ${at}`).not.toMatchObject({ why: 'it failed' })
        if (at % CHECKED_EVERY === 0) await set.expectUnmoved(1)
      }
      await set.expectUnmoved(1)
      await set.expectPeersBounded()
      await set.expectFailover(1)
    } finally {
      await set.close()
    }
  })
})
