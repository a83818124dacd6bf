/**
 * Contradictory writes by two services on one store: many in memory, one of each kind on the other stores.
 */
import { describe } from 'vitest'
import { MEMORY, SHARED_STORES } from '../../fixtures/stores.ts'
import { contradictionsOn } from './contradictions.ts'

describe('two services on memory', contradictionsOn(MEMORY, { rounds: 15, writers: 64, turns: 5 }))

for (const store of SHARED_STORES.filter((store) => store !== MEMORY))
  describe(`two services on ${store.name}`, contradictionsOn(store, { rounds: 1, writers: 8, turns: 2 }))
