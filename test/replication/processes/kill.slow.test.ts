/** Primaries and secondaries on LMDB, each in its own process. Both of a pair are killed repeatedly. */
import { describe, it } from 'vitest'
import { PLACES } from '../../fixtures/places.ts'
import { runs } from '../../fixtures/runs.ts'
import { expectLevelAfterKills } from './killed-pair.ts'

const KILLS = runs({ quick: 6, soak: 100 })

/** A pair waits most of the time, for processes to start and claims to expire, so two pairs run concurrently. */
const SEEDS = [19, 20]

describe.each(PLACES.filter(({ name }) => name === 'LMDB'))('a secondary on $name', (kind) => {
  it.concurrent.each(SEEDS)(`has the data of its primary after ${KILLS} kills of one of the two processes, seed %i`, (seed) =>
    expectLevelAfterKills(kind, KILLS, seed),
  )
})
