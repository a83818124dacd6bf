/** The whole failure matrix of the database engine on the database in memory: every call of every work in every way, and death at every point, with every aftermath. */
import { describe, it } from 'vitest'
import { cellsOf, deathsOf, die, goWrong, worksAndPoints } from './database-cells.ts'

describe.each(await worksAndPoints())('$work.name', (work) => {
  it.each(cellsOf(work))('$call $what, $then', goWrong)
  it.each(deathsOf(work))('dies $when $call ($at), $then', die)
})
