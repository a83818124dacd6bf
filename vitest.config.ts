import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { nativeSources } from './test/fixtures/native-sources.ts'

/** What holds time or memory against a bound. */
const ALONE = /\/(?:measured|slowness|processor-time)\.ts'/

/** What puts other modules in place of those of the sources, which Vite has to hand over for that. */
const MOCKED = /vi\.(?:mock|doMock|resetModules)\(/

const TESTS = join(import.meta.dirname, 'test')

const all = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ path: `test/${path.replaceAll('\\', '/')}`, text: readFileSync(join(TESTS, path), 'utf8') }))

const mocked = all.filter(({ text }) => MOCKED.test(text)).map(({ path }) => path)

const alone = all.filter(({ text }) => ALONE.test(text) && !MOCKED.test(text)).map(({ path }) => path)

const each = {
  // The package's own imports (`#platform/*`) lead to the sources.
  ssr: { resolve: { conditions: ['strongroom-source', 'node'] } },
}

/** Whoever watches has changes of the sources run at once, which takes Vite. */
const natively = process.argv.includes('run') ? { plugins: [nativeSources()] } : {}

const options = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // More make each of them slower.
  maxWorkers: 2,
  execArgv: ['--enable-source-maps'],
} as const

export default defineConfig({
  test: {
    globalSetup: ['test/fixtures/postgresql/run.ts'],
    projects: [
      {
        ...each,
        ...natively,
        // What is not meant to be fast would make them slow, and lie.
        test: { ...options, name: 'alone', include: alone, sequence: { groupOrder: 0 } },
      },
      { ...each, test: { ...options, name: 'mocked', include: mocked, sequence: { groupOrder: 1 } } },
      {
        ...each,
        ...natively,
        test: {
          ...options,
          name: 'together',
          sequence: { groupOrder: 2 },
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...mocked],
          // Loading the sources takes longer than most files take: those of one process share them. With SLOW every file has its own.
          isolate: Boolean(process.env['SLOW']),
        },
      },
    ],
  },
})
