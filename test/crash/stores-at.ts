/**
 * The stores on which a process is killed, and how often a configuration service process is killed.
 */
import { PLACES } from '../fixtures/places.ts'
import { runs } from '../fixtures/runs.ts'

export const STORES_AT = PLACES.map((place) => ({
  ...place,
  kills: runs({ quick: place.name === 'LMDB' ? 5 : 2, soak: 60 }),
}))
