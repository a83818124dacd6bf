/** Suites of processes that share a store, on each kind of it. */
import { describe } from 'vitest'
import { PLACES, type PlaceKind } from '../fixtures/places.ts'

/** What takes minutes there. */
const whySkipped = ({ name, missing }: PlaceKind): string | undefined =>
  missing ?? (name === 'etcd' && !process.env['SLOW'] ? 'with SLOW' : undefined)

/** `describe`, skipped with the reason where there is no such store. */
export function onEachStore(what: string, suite: (open: PlaceKind['open']) => void): void {
  for (const kind of PLACES) {
    const why = whySkipped(kind)
    describe.skipIf(why !== undefined)(`${what} on one ${kind.name}${why ? ` (${why})` : ''}`, () => suite(kind.open))
  }
}
