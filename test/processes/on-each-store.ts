/** Suites of processes that share a store, on each kind of it. */
import { describe } from 'vitest'
import { PLACES, type PlaceKind } from '../fixtures/places.ts'
import { TIER } from '../tiers.ts'

/** These suites take minutes on etcd, so only the soak tier runs them there. */
const KINDS = PLACES.filter(({ name }) => name !== 'etcd' || TIER === 'soak')

/** `describe`, skipped with the reason where there is no such store. */
export function onEachStore(what: string, suite: (open: PlaceKind['open']) => void): void {
  for (const { name, missing, open } of KINDS) {
    describe.skipIf(missing !== undefined)(`${what} on one ${name}${missing ? ` (${missing})` : ''}`, () => suite(open))
  }
}
