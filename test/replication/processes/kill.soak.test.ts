/** A primary and a secondary on a database server, each in its own process. Both are killed repeatedly. */
import { describe, it } from 'vitest'
import { PLACES } from '../../fixtures/places.ts'
import { expectLevelAfterKills } from './killed-pair.ts'

const KILLS = 40

describe.each(PLACES.filter(({ name }) => name !== 'LMDB'))('a secondary on $name', (kind) => {
  const { missing } = kind
  it.skipIf(missing)(
    `has the data of its primary after ${KILLS} kills of each process${missing ? ` (skipped: ${missing})` : ''}`,
    () => expectLevelAfterKills(kind, KILLS),
  )
})
