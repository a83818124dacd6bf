/** A process dies at every second commit (at every commit in the soak tier), before or after the commit takes effect. */
import { beforeAll, describe, it } from 'vitest'
import { runs } from '../fixtures/runs.ts'
import { crashAtEach, makeReference } from './crashing.ts'

const STRIDE = runs({ quick: 2, soak: 1 })

beforeAll(makeReference)

describe('a crash of the process at any commit', () => {
  it.each(['before', 'after'] as const)('loses no acknowledged change if it happens %s the commit takes effect', (when) =>
    crashAtEach(when, STRIDE),
  )
})
