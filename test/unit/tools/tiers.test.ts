/**
 * Tests of the quick tier neither measure this machine nor start processes of their own (`docs/contributing/testing.md`), whatever modules of `test` they
 * import.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, it } from 'vitest'
import { tierOfFile } from '../../tiers.ts'

const TESTS = join(import.meta.dirname, '../..')

/** Shared servers, which a keeper process starts once for the whole run. */
const SERVERS = /^fixtures\/(postgresql|servers|etcd)\//

const MEASURES = /fixtures\/calibration\.ts'|process\.cpuUsage|performance\.now|process\.hrtime/
const STARTS_PROCESSES = /from 'node:child_process'|fixtures\/child\.ts'|new Worker\(/
const REPLACES_MODULES = /vi\.(?:mock|doMock|resetModules)\(/

const IMPORT = /(?:from|import\()\s*'(\.{1,2}\/[^']+\.ts)'/g

const all = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))

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
    // Sources, and imports within texts of programs, lead elsewhere.
    .filter((name) => files.has(name))

/** The modules of `test` that a test file loads. */
function reachedFrom(path: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(path)) return reached
  reached.add(path)
  for (const next of importsOf(path)) reachedFrom(next, reached)
  return reached
}

const quick = all.filter(
  (path) => path.endsWith('.test.ts') && tierOfFile(path) === 'quick' && path !== 'unit/tools/tiers.test.ts',
)

const offenders = (tests: readonly string[], pattern: RegExp): readonly string[] =>
  tests.flatMap((file) => {
    const found = [...reachedFrom(file)].find((path) => !SERVERS.test(path) && pattern.test(textOf(path)))
    return found ? [found === file ? file : `${file}, by ${found}`] : []
  })

it('has files in each tier', () => {
  for (const tier of ['quick', 'slow', 'soak'])
    expect(all.filter((path) => path.endsWith('.test.ts') && tierOfFile(path) === tier).length).toBeGreaterThan(0)
})

it('measures nothing in the quick tier', () => {
  expect(offenders(quick, MEASURES)).toEqual([])
})

it('starts no process of its own in the quick tier', () => {
  expect(offenders(quick, STARTS_PROCESSES)).toEqual([])
})

it('replaces no modules in any tier', () => {
  const tests = all.filter((path) => path.endsWith('.test.ts') && path !== 'unit/tools/tiers.test.ts')
  expect(offenders(tests, REPLACES_MODULES)).toEqual([])
})
