/**
 * A call to the cloud fails in any way, or the process dies at any point. Afterwards every user has a lease, every existing key is recorded,
 * and no call hangs. Static roles and the root configuration have a valid key at every moment.
 *
 * A sample of the matrix: every call of every work, every way in which a call goes wrong with every aftermath, and every work with every
 * aftermath. The slow tier has every call of every work in every way.
 */
import { describe, it } from 'vitest'
import { covering } from '../fixtures/pairwise.ts'
import { cellsOf, deathsOf, die, goWrong, worksAndPoints } from './cloud-cells.ts'

const WORKS = await worksAndPoints()

const CELLS = covering(WORKS.flatMap(cellsOf), [
  ['name', 'call'],
  ['what', 'then'],
  ['name', 'then'],
])

const DEATHS = covering(WORKS.flatMap(deathsOf), [
  ['name', 'call'],
  ['call', 'when'],
  ['name', 'then'],
])

describe('the cloud engine with failing calls', () => {
  it.each(CELLS)('the operation $name leaves a consistent state if its call $call $what, $then', (cell) => goWrong(cell))
})

describe('the cloud engine after a crash', () => {
  it.each(DEATHS)(
    'the operation $name leaves a consistent state if its process dies $when the call $call (point $at), $then',
    die,
  )
})
