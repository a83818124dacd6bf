/**
 * Many contradictory writes by two services, on every store that processes can share.
 */
import { describe } from 'vitest'
import { runs } from '../../fixtures/runs.ts'
import { SHARED_STORES } from '../../fixtures/stores.ts'
import { contradictionsOn } from './contradictions.ts'

const rounds = runs({ quick: 15, soak: 1000 })

for (const store of SHARED_STORES)
  describe(`two services on ${store.name}`, contradictionsOn(store, { rounds, writers: 64, turns: 5 }))
