/**
 * The rules for each tier of tests (`docs/contributing/testing.md`), checked over the test files and the modules of `test` that they
 * import.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, it } from 'vitest'
import { TIERS, tierOfFile } from '../../tiers.ts'

const TESTS = join(import.meta.dirname, '../..')

const CALIBRATION = 'fixtures/calibration.ts'
const CHILDREN = 'fixtures/child.ts'

const MEASURES = /\b(?:process\.cpuUsage|longestStretch|longestPieceMs)\b/
const REPLACES_MODULES = /\bvi\.(?:mock|doMock|resetModules)\(/

const IMPORT = /(?<!import type [^']*)(?:from|import\()\s*'(\.{1,2}\/[^']+\.ts)'/g

const all = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))

const IS_THIS = /unit\/tools\/tiers\.test\.ts$/

const files = new Set(all)

const texts = new Map<string, string>()
function textOf(path: string): string {
  const known = texts.get(path) ?? readFileSync(join(TESTS, path), 'utf8')
  texts.set(path, known)
  return known
}

const importsOf = (path: string): readonly string[] =>
  [...textOf(path).matchAll(IMPORT)]
    .map(([, name]) => posix.join(dirname(path).replaceAll('\\', '/'), name as string))
    // Imports of sources, and imports in the text of child programs, lead outside of `test`.
    .filter((name) => files.has(name))

/** The modules of `test` that a test file loads. */
function reachedFrom(path: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(path)) return reached
  reached.add(path)
  for (const next of importsOf(path)) reachedFrom(next, reached)
  return reached
}

const quick = all.filter((path) => path.endsWith('.test.ts') && tierOfFile(path) === 'quick' && !IS_THIS.test(path))

const reaching = (module: string): readonly string[] => quick.filter((file) => reachedFrom(file).has(module))

const containing = (tests: readonly string[], pattern: RegExp): readonly string[] =>
  tests.filter((file) => pattern.test(textOf(file)))

it.each(TIERS)('the tier check finds files of the %s tier', (tier) => {
  expect(all.some((path) => path.endsWith('.test.ts') && tierOfFile(path) === tier)).toBe(true)
})

it('the tier check finds modules that a test file imports indirectly', () => {
  expect(reachedFrom('large/policies.measured.slow.test.ts')).toContain(CALIBRATION)
})

it('no file of the quick tier measures processor time', () => {
  expect(reaching(CALIBRATION)).toEqual([])
  expect(containing(quick, MEASURES)).toEqual([])
})

it('no file of the quick tier imports the fixture that starts child programs', () => {
  expect(reaching(CHILDREN)).toEqual([])
})

it('no test file replaces modules with vi.mock, vi.doMock or vi.resetModules', () => {
  expect(
    containing(
      all.filter((path) => path.endsWith('.test.ts') && !IS_THIS.test(path)),
      REPLACES_MODULES,
    ),
  ).toEqual([])
})
