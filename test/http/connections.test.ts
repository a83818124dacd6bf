import { expect, it } from 'vitest'
import { runs } from '../fixtures/runs.ts'
import { fuzzConnections, PROTOCOLS } from './connections/fuzz-connections.ts'

const CASES = runs({ quick: 6, soak: 33_334 })

it.each(Object.entries(PROTOCOLS))(
  `a listener answers ${CASES} random connections of %s in order and within its budget`,
  async (_, kind) => {
    await expect(fuzzConnections(kind, CASES)).resolves.toBeUndefined()
  },
)
