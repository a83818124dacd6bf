/**
 * Wycheproof's files are outside of the repository; see SOURCE.md.
 */
import { expect, it } from 'vitest'
import { hasSharedData, noteSharedData, readSharedJson } from '../fixtures/shared-data.ts'

export const WYCHEPROOF = 'vectors/wycheproof/'

export interface WycheproofTest {
  readonly tcId: number
  readonly comment: string
  readonly flags?: readonly string[]
  readonly result: 'valid' | 'invalid' | 'acceptable'
}

interface File<Group, Test> {
  readonly numberOfTests: number
  readonly testGroups: readonly (Group & { readonly tests: readonly Test[] })[]
}

export interface VectorSuite<Group, Test> {
  /** The reason to exclude a vector, or undefined if it is tested. */
  readonly outside?: (test: Test, group: Group) => string | undefined
  /** The decisions for `acceptable` vectors, by flag. The title of the test shows the reasons. */
  readonly acceptable?: Readonly<Record<string, { readonly accept: boolean; readonly reason: string }>>
  /**
   * Whether the library accepts the vector: a signature or tag verifies, a ciphertext decrypts, or a computed value equals the expected
   * one.
   */
  readonly accepts: (test: Test, group: Group) => boolean | Promise<boolean>
}

/** The reason why another tier runs a vector, or undefined if this tier runs it. */
export type Turn = (test: WycheproofTest) => string | undefined

/** For suites that repeat vectors by another code path: the quick tier runs every nth one. */
export const everyNth =
  (n: number): Turn =>
  ({ tcId }) =>
    tcId % n === 0 ? undefined : 'run in the slow tier only'

/** The slow tier runs the vectors that {@link everyNth} excludes. */
export const exceptEveryNth =
  (n: number): Turn =>
  ({ tcId }) =>
    tcId % n === 0 ? 'run in the quick tier only' : undefined

/**
 * Defines one test for a file. Its title shows how many vectors are tested, and why others are excluded. It fails with the list of vectors
 * whose result differs from the file, or if the counts do not add up to the number in the file.
 */
export function itMatchesWycheproof<Group, Test extends WycheproofTest>(name: string, suite: VectorSuite<Group, Test>): void {
  const path = WYCHEPROOF + name
  if (!hasSharedData(path)) {
    it.skip(`gives the expected results of Wycheproof ${name}: skipped because the folder shared/vectors/wycheproof is not next to this repository`, () => {})
    return
  }
  const file = readSharedJson<File<Group, Test>>(path)
  const covered: { readonly test: Test; readonly group: Group }[] = []
  const outside = new Map<string, number>()
  const results = { valid: 0, invalid: 0, acceptable: 0 }
  for (const group of file.testGroups) {
    for (const test of group.tests) {
      const reason = suite.outside?.(test, group)
      if (reason !== undefined) outside.set(reason, (outside.get(reason) ?? 0) + 1)
      else {
        covered.push({ test, group })
        results[test.result]++
      }
    }
  }
  const decisions = Object.values(suite.acceptable ?? {}).map(
    ({ accept, reason }) => `${accept ? 'accepted' : 'refused'}: ${reason}`,
  )
  const title = [
    `${covered.length} of ${file.numberOfTests} vectors (${results.valid} valid, ${results.invalid} invalid`,
    results.acceptable > 0 ? `, ${results.acceptable} acceptable, ${decisions.join('; ')})` : ')',
    ...[...outside].map(([reason, n]) => `; excludes ${n}: ${reason}`),
  ].join('')
  if (covered.length === 0) {
    it.skip(`gives the expected results of Wycheproof ${name} for ${title}`, () => {})
    return
  }
  it(`gives the expected results of Wycheproof ${name} for ${title}`, async () => {
    noteSharedData(path)
    const wrong: string[] = []
    for (const { test, group } of covered) {
      const expected = expectation(test, suite)
      const accepted = await suite.accepts(test, group)
      if (accepted !== expected)
        wrong.push(`tcId ${test.tcId} (${test.comment}) is ${test.result}, but was ${accepted ? 'accepted' : 'refused'}`)
    }
    expect(wrong).toEqual([])
    expect(covered.length + [...outside.values()].reduce((sum, n) => sum + n, 0)).toBe(file.numberOfTests)
  })
}

function expectation<Group, Test extends WycheproofTest>(test: Test, suite: VectorSuite<Group, Test>): boolean {
  if (test.result !== 'acceptable') return test.result === 'valid'
  const flag = test.flags?.find((flag) => suite.acceptable?.[flag] !== undefined)
  if (flag === undefined) throw new Error(`tcId ${test.tcId} is acceptable (${test.flags}) and nothing is decided for it`)
  return suite.acceptable?.[flag]?.accept ?? false
}
