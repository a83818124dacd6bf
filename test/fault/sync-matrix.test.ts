/**
 * Whatever an external store does at a call, and wherever the process dies: ticks bring store and status to agreement, and nothing is left
 * behind if a secret is not pushed any more.
 *
 * On the fake: every call in every manner, once and three times in turn, and death before and after every commit.
 */
import { describe, it } from 'vitest'
import { die, everyCell, everyDeath, goWrong, pointsOf } from './sync-cells.ts'
import { FAKE } from './sync-stores.ts'

const POINTS = await pointsOf(FAKE)

describe('secret sync to the fake store', () => {
  it.each(everyCell(POINTS))('recovers after call $at ($call) $manner, $times times', (cell) => goWrong(FAKE, cell))
  it.each(everyDeath(POINTS))('recovers after its process dies $when commit $at', (death) => die(FAKE, death))
})
