/** A violation of one of the properties that hold in all schedules. */
import { Violation } from '../../simulation/verdict.ts'

export const PROPERTIES = {
  replicasEqual: '1: replicas hold what their primary does',
  nothingLost: '2: nothing that was acknowledged is lost without force',
  onePrimary: '3: one primary',
  divergenceKnown: '4: no divergence is unknown',
  repetitionHarmless: '5: repeated messages change nothing, and the revoked hear nothing',
  streamingReached: '6: streaming is reached',
  filteredStaysAway: '7: what is filtered stays away',
  faultsFound: '8: each fault is found',
} as const

export const broken = (property: keyof typeof PROPERTIES, text: string): Violation =>
  new Violation(`(${PROPERTIES[property]}) ${text}`)
