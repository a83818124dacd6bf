import { roundTrip } from './round-trip.js'

postMessage(await roundTrip())
