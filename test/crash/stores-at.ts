/**
 * The stores on which a process is killed, and how often one of a configuration service is.
 */
import { PLACES } from '../fixtures/places.ts'

const SLOW = Boolean(process.env['SLOW'])

export const STORES_AT = PLACES.map((place) => ({ ...place, kills: SLOW ? 60 : place.name === 'LMDB' ? 5 : 2 }))
