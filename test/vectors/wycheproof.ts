/**
 * Wycheproof files, read from beside the repository. Room: test/vectors. Imported by tests. See SOURCE.md.
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

export interface Judgement<Group, Test> {
  /** Why a vector is outside our parameters, or undefined when it is to be judged. */
  readonly outside?: (test: Test, group: Group) => string | undefined
  /** What is decided for `acceptable` vectors, by flag. The reason stands in the title of the test. */
  readonly acceptable?: Readonly<Record<string, { readonly accept: boolean; readonly reason: string }>>
  /** Whether our code accepts the vector: a signature or tag verifies, a ciphertext opens, a computed value is the given one. */
  readonly accepts: (test: Test, group: Group) => boolean | Promise<boolean>
}

/** The reason to leave a vector to another tier; undefined if this tier runs it. */
export type Turn = (test: WycheproofTest) => string | undefined

/** For suites that repeat vectors by another path: the quick tier takes every nth one. */
export const everyNth =
  (n: number): Turn =>
  ({ tcId }) =>
    tcId % n === 0 ? undefined : 'run in the slow tier only'

/** The slow tier takes the vectors that {@link everyNth} leaves out. */
export const exceptEveryNth =
  (n: number): Turn =>
  ({ tcId }) =>
    tcId % n === 0 ? 'run in the quick tier only' : undefined

/**
 * One `it` for a file. Its title counts what is judged and what is not, and names why; it fails with the list of vectors that were
 * decided otherwise than the file says, and when the counts do not add up to the file's own number.
 */
export function itJudges<Group, Test extends WycheproofTest>(name: string, how: Judgement<Group, Test>): void {
  const path = WYCHEPROOF + name
  if (!hasSharedData(path)) {
    it.skip(`decides as Wycheproof ${name}: skipped because the folder shared/vectors/wycheproof is not next to this repository`, () => {})
    return
  }
  const file = readSharedJson<File<Group, Test>>(path)
  const judged: { readonly test: Test; readonly group: Group }[] = []
  const outside = new Map<string, number>()
  const results = { valid: 0, invalid: 0, acceptable: 0 }
  for (const group of file.testGroups) {
    for (const test of group.tests) {
      const reason = how.outside?.(test, group)
      if (reason !== undefined) outside.set(reason, (outside.get(reason) ?? 0) + 1)
      else {
        judged.push({ test, group })
        results[test.result]++
      }
    }
  }
  const decisions = Object.values(how.acceptable ?? {}).map(
    ({ accept, reason }) => `${accept ? 'accepted' : 'refused'}: ${reason}`,
  )
  const title = [
    `${judged.length} of ${file.numberOfTests} vectors (${results.valid} valid, ${results.invalid} invalid`,
    results.acceptable > 0 ? `, ${results.acceptable} acceptable, ${decisions.join('; ')})` : ')',
    ...[...outside].map(([reason, n]) => `; excludes ${n}: ${reason}`),
  ].join('')
  if (judged.length === 0) {
    it.skip(`decides as Wycheproof ${name} for ${title}`, () => {})
    return
  }
  it(`decides as Wycheproof ${name} for ${title}`, async () => {
    noteSharedData(path)
    const wrong: string[] = []
    for (const { test, group } of judged) {
      const expected = expectation(test, how)
      const accepted = await how.accepts(test, group)
      if (accepted !== expected)
        wrong.push(`tcId ${test.tcId} (${test.comment}) is ${test.result}, but was ${accepted ? 'accepted' : 'refused'}`)
    }
    expect(wrong).toEqual([])
    expect(judged.length + [...outside.values()].reduce((sum, n) => sum + n, 0)).toBe(file.numberOfTests)
  })
}

function expectation<Group, Test extends WycheproofTest>(test: Test, how: Judgement<Group, Test>): boolean {
  if (test.result !== 'acceptable') return test.result === 'valid'
  const flag = test.flags?.find((one) => how.acceptable?.[one] !== undefined)
  if (flag === undefined) throw new Error(`tcId ${test.tcId} is acceptable (${test.flags}) and nothing is decided for it`)
  return how.acceptable?.[flag]?.accept ?? false
}
