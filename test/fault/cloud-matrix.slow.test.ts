/** The whole failure matrix of the cloud engine on the cloud in memory: every call of every work in every way, and death at every point, with every aftermath. */
import { describe, it } from 'vitest'
import { cellsOf, deathsOf, die, goWrong, worksAndPoints } from './cloud-cells.ts'

describe.each(await worksAndPoints())('$work.name', (work) => {
  it.each(cellsOf(work))('$call $what, $then', (cell) => goWrong(cell))
  it.each(deathsOf(work))('dies $when $call ($at), $then', die)
})
