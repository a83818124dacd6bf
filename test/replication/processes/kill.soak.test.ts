/** A primary and a secondary on a database server, each a process, of which either is killed again and again. */
import { describe, it } from 'vitest'
import { PLACES } from '../../fixtures/places.ts'
import { expectLevelAfterKills } from './killed-pair.ts'

const KILLS = 40

describe.each(PLACES.filter(({ name }) => name !== 'LMDB'))('a secondary on $name', (kind) => {
  const { missing } = kind
  it.skipIf(missing)(`is level with its primary after ${KILLS} kills of either${missing ? ` (skipped: ${missing})` : ''}`, () =>
    expectLevelAfterKills(kind, KILLS),
  )
})
