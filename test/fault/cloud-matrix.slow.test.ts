/**
 * The failure matrix of the cloud engine on the cloud in memory: every call of every work in every way, and death at every point, with the
 * aftermaths in turn; the soak tier tries every aftermath with each.
 */
import { describe, it } from 'vitest'
import { cellsOf, deathsOf, die, goWrong, inTurn, worksAndPoints } from './cloud-cells.ts'

describe.each(await worksAndPoints())('$work.name', (work) => {
  it.each(inTurn(cellsOf(work)))('$call $what, $then', (cell) => goWrong(cell))
  it.each(inTurn(deathsOf(work)))('dies $when $call ($at), $then', die)
})
