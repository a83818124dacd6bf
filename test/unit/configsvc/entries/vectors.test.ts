/**
 * The vectors of config entries that concern one entry alone. Dependencies between entries are covered by the tests of the graph.
 */
import { describe, expect, it } from 'vitest'
import { ENTRY_KINDS } from '../../../../src/configsvc/entries/kinds.ts'
import { describeIfShared } from '../../../fixtures/shared-data.ts'
import { ENTRY_VECTORS, type EntryCase, entryVectors, isAsStated, names } from './entry-vectors.ts'
import { outcome } from './outcome.ts'

/** Refusals that depend on other entries, or on missing ones. */
const byOthers = ({ what, result, field = '' }: EntryCase): boolean =>
  result === 'refused' && (/^(?:graph|exported):/.test(what) || field.startsWith('AllowEnabling'))

/** The reason why this file does not test a case; undefined if it does. */
function exclusionOf(testCase: EntryCase): string | undefined {
  if (!testCase.entry) return 'a deletion, which the graph tests cover'
  if (byOthers(testCase)) return 'depends on other entries, which the graph tests cover'
  return testCase.differs?.expect === 'either' ? 'the vector accepts both storing and refusing' : undefined
}

describeIfShared(ENTRY_VECTORS, 'the vectors of config entries', () => {
  for (const { kind, cases } of entryVectors()) {
    if (!ENTRY_KINDS.has(kind)) continue
    describe(kind, () => {
      it('has recorded cases', () => expect(cases.length).toBeGreaterThan(0))

      for (const testCase of cases) {
        const { what, with: others = [], entry, result, stored, field = '', exact, differs } = testCase
        const expected = differs?.expect ?? result
        const exclusion = exclusionOf(testCase)
        it.skipIf(exclusion)(exclusion ? `${what} (${exclusion})` : what, () => {
          for (const other of others) if (ENTRY_KINDS.has(other['Kind'] as string)) expect(outcome(other)).toBeTypeOf('object')
          const found = outcome(entry)
          if (expected === 'refused') {
            expect(found).toBeTypeOf('string')
            expect(names(found as string, field), `${found} names ${field}`).toBe(true)
            return
          }
          expect(found).toBeTypeOf('object')
          expect(isAsStated(found, stored ?? {}, exact), JSON.stringify(found)).toBe(true)
        })
      }
    })
  }
})
