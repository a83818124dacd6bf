/**
 * Which transcripts are replayed on which store: in memory all of them, and each on one of the others, in turn. With SLOW all on all.
 */
import { ALL_STORES, type Store } from '../fixtures/stores.ts'

const SLOW = Boolean(process.env['SLOW'])

const [FIRST, ...OTHERS] = ALL_STORES

export const replayedOn = <T>(store: Store, all: readonly T[]): readonly T[] =>
  SLOW || store === FIRST ? all : all.filter((_, at) => OTHERS[at % OTHERS.length] === store)
