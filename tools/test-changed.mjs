// Runs the tests of the quick and slow tier that a change can affect. Usage: `npm run test:changed`, or to compare with another commit than HEAD,
// `npm run test:changed -- main~3`. Finds the tests by their imports, because `vitest --changed` needs minutes to find them.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const [base = 'HEAD'] = process.argv.slice(2)

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }).split('\n').filter(Boolean)
const changed = new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')])

/** Files that affect every test. */
const EVERYTHING = ['package.json', 'package-lock.json', 'vitest.config.ts', 'tsconfig.json', 'test/tiers.ts', 'test/rooms.ts']

/** A path to a source file in a string: a test contains the path of a program that it starts. */
const NAMED = /['"`]((?:src|test|tools|examples)\/[\w./-]+\.m?[tj]s)['"`]/g

const tests = git('ls-files', '--cached', '--others', '--exclude-standard', 'test').filter((path) => path.endsWith('.test.ts'))
const affected = [...changed].some((path) => EVERYTHING.includes(path)) ? tests : tests.filter(reachesChange())

for (const [tier, mode] of [
  ['quick', 'test'],
  ['slow', 'slow'],
]) {
  const files = affected.filter((path) => path.endsWith('.slow.test.ts') === (tier === 'slow') && !path.endsWith('.soak.test.ts'))
  console.log(`${tier} tier: ${files.length} of ${tests.length} test files`)
  if (files.length === 0) continue
  const { status } = spawnSync('npx', ['vitest', 'run', '--mode', mode, ...files], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** Returns a filter for tests that reach a changed file by imports, by a path in a string, or because changed data is in their folder. */
function reachesChange() {
  const { metafile } = buildSync({
    entryPoints: tests,
    absWorkingDir: root,
    outdir: '.',
    // Emit a shared module once, instead of once for each of seven hundred tests.
    splitting: true,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    conditions: ['strongroom-source'],
    loader: { '.node': 'empty' },
    metafile: true,
    write: false,
    logLevel: 'error',
  })
  const importsOf = (path) => [
    ...(metafile.inputs[path]?.imports ?? []).filter(({ external }) => !external).map((entry) => entry.path),
    ...(path.startsWith('test/') ? named(path) : []),
  ]
  const folders = new Set(
    [...changed].filter((path) => path.startsWith('test/') && !path.endsWith('.ts')).map((path) => dirname(path)),
  )
  // Tests of docs and tools read any kind of file at run time.
  const isChanged = (path) =>
    changed.has(path) || folders.has(dirname(path)) || (changed.size > 0 && /^test\/(docs|editor|unit\/tools)\//.test(path))
  const reached = new Map()
  const reaches = (path) => {
    if (!reached.has(path)) {
      reached.set(path, isChanged(path))
      if (!reached.get(path)) reached.set(path, importsOf(path).some(reaches))
    }
    return reached.get(path)
  }
  return reaches
}

function named(path) {
  try {
    return [...readFileSync(join(root, path), 'utf8').matchAll(NAMED)].map(([, one]) => one)
  } catch {
    return []
  }
}
