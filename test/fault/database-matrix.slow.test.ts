/** The whole failure matrix of the database engine on an in-memory database: every call fails in every way, and the process dies at every point. */
import { describe, it } from 'vitest'
import { cellsOf, deathsOf, die, goWrong, worksAndPoints } from './database-cells.ts'

describe.each(await worksAndPoints())('the database work $work.name', (work) => {
  it.each(cellsOf(work))('recovers if $call $what, $then', goWrong)
  it.each(deathsOf(work))('recovers if its process dies $when $call (point $at), $then', die)
})
