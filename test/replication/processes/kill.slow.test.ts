/** A primary and a secondary on LMDB, each a process, of which either is killed again and again. */
import { describe, it } from 'vitest'
import { PLACES } from '../../fixtures/places.ts'
import { runs } from '../../fixtures/runs.ts'
import { expectLevelAfterKills } from './killed-pair.ts'

const KILLS = runs({ quick: 12, soak: 200 })

describe.each(PLACES.filter(({ name }) => name === 'LMDB'))('a secondary on $name', (kind) => {
  it(`is level with its primary after ${KILLS} kills of either`, () => expectLevelAfterKills(kind, KILLS))
})
