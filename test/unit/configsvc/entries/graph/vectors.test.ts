/**
 * The vectors of config entries that concern several entries.
 */
import { expect, it } from 'vitest'
import { KernelError } from '../../../../../src/core/base/errors.ts'
import { type AnyEntry, EntrySet, type Wish } from '../../../../fixtures/entry-set.ts'
import { describeIfShared } from '../../../../fixtures/shared-data.ts'
import { ENTRY_VECTORS, entryVectors } from '../entry-vectors.ts'

interface Case {
  readonly what: string
  readonly with?: readonly AnyEntry[]
  readonly entry?: AnyEntry
  readonly delete?: { readonly Kind: string; readonly Name: string }
  readonly result: string
  readonly field?: string
}

/** Other refusals depend on one entry alone. */
const concerned = (testCase: Case): boolean =>
  /^graph:|permissive/.test(testCase.what) || (testCase.with !== undefined && testCase.result !== 'refused')

/** In the stored form: protocols in lower case, and the fixed name for the entry of exports. */
const normalised = (entry: AnyEntry): AnyEntry => ({
  ...entry,
  ...(typeof entry['Protocol'] === 'string' && { Protocol: entry['Protocol'].toLowerCase() }),
})

const wishOf = ({ entry, delete: gone }: Case): Wish =>
  entry ? { put: normalised(entry) } : { delete: { kind: gone?.Kind as string, name: gone?.Name as string } }

const plain = (text: string): string => text.toLowerCase().replaceAll(/[_\s-]/g, '')

describeIfShared(ENTRY_VECTORS, 'validation of changes against other entries', () => {
  const cases = entryVectors<{ readonly kind: string; readonly cases: readonly Case[] }>().flatMap(({ kind, cases: all }) =>
    all.filter(concerned).map((testCase) => ({ kind, ...testCase })),
  )

  it.each(cases)('has the recorded result for a $kind: $what', (one) => {
    const set = (one.with ?? []).reduce((before, entry) => before.put(normalised(entry)), new EntrySet())
    let refusal: unknown
    try {
      set.apply(wishOf(one))
    } catch (error) {
      refusal = error
    }
    if (one.result !== 'refused') return expect(refusal).toBeUndefined()
    expect(refusal).toBeInstanceOf(KernelError)
    expect(refusal).toHaveProperty('status', 400)
    const text = plain((refusal as KernelError).message)
    const fields = (one.field ?? '').split(' or ').map((field) => plain(field).replace(/s$/, ''))
    expect(
      fields.some((field) => text.includes(field)),
      `${text} names ${one.field}`,
    ).toBe(true)
  })

  it('is tested by more than 40 recorded cases', () => expect(cases.length).toBeGreaterThan(40))
})
