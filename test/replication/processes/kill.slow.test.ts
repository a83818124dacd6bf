/** A primary and a secondary on LMDB, each in its own process. Both are killed repeatedly. */
import { describe, it } from 'vitest'
import { PLACES } from '../../fixtures/places.ts'
import { runs } from '../../fixtures/runs.ts'
import { expectLevelAfterKills } from './killed-pair.ts'

const KILLS = runs({ quick: 12, soak: 200 })

describe.each(PLACES.filter(({ name }) => name === 'LMDB'))('a secondary on $name', (kind) => {
  it(`is in sync with its primary after ${KILLS} kills of each`, () => expectLevelAfterKills(kind, KILLS))
})
