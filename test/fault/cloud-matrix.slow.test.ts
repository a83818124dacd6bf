/** The whole failure matrix of the cloud engine on an in-memory cloud: every call fails in every way, and the process dies at every point. */
import { describe, it } from 'vitest'
import { cellsOf, deathsOf, die, goWrong, worksAndPoints } from './cloud-cells.ts'

describe.each(await worksAndPoints())('the cloud work $work.name', (work) => {
  it.each(cellsOf(work))('recovers if $call $what, $then', (cell) => goWrong(cell))
  it.each(deathsOf(work))('recovers if its process dies $when $call (point $at), $then', die)
})
