/**
 * An external store fails at any call, or the process dies at any commit. Ticks then make the store and the status agree, and no value
 * stays in the store without an association.
 *
 * With the fake store: every call fails in every way, alternately once and three times, and the process dies before and after every commit.
 */
import { describe, it } from 'vitest'
import { die, everyCell, everyDeath, goWrong, pointsOf } from './sync-cells.ts'
import { FAKE } from './sync-stores.ts'

const POINTS = await pointsOf(FAKE)

describe('secret sync to the fake store', () => {
  it.each(everyCell(POINTS))('leaves a consistent state if call $at ($call) $manner $times times', (cell) => goWrong(FAKE, cell))
  it.each(everyDeath(POINTS))('leaves a consistent state if its process dies $when commit $at', (death) => die(FAKE, death))
})
