/** Random connections as in the quick tier, with more cases and another seed. */
import { expect, it } from 'vitest'
import { fuzzConnections, PROTOCOLS } from './connections/fuzz-connections.ts'

const CASES = 250
const FIRST_SEED = 1_000_000

it.each(Object.entries(PROTOCOLS))(
  `a listener answers ${CASES} random connections of %s in order and within its budget`,
  async (_, kind) => {
    await expect(fuzzConnections(kind, CASES, FIRST_SEED)).resolves.toBeUndefined()
  },
)
