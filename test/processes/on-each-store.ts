import { describe } from 'vitest'
import { PLACES, type PlaceKind } from '../fixtures/places.ts'
import { TIER } from '../tiers.ts'

/** These suites take minutes on etcd, so only the soak tier runs them there. */
const KINDS = PLACES.filter(({ name }) => name !== 'etcd' || TIER === 'soak')

/** `describe` for each kind of store, skipped with the reason if the store is not available. */
export function onEachStore(what: string, suite: (open: PlaceKind['open']) => void): void {
  for (const { name, missing, open } of KINDS) {
    describe.skipIf(missing !== undefined)(`${what} on one ${name}${missing ? ` (${missing})` : ''}`, () => suite(open))
  }
}
