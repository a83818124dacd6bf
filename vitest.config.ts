import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** What holds time or memory against a bound, and what puts other modules in place of those of the sources. */
const ALONE = /\/(?:measured|slowness|processor-time)\.ts'|vi\.(?:mock|doMock|resetModules)\(/

const TESTS = join(import.meta.dirname, 'test')

const alone = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && ALONE.test(readFileSync(join(TESTS, path), 'utf8')))
  .map((path) => `test/${path.replaceAll('\\', '/')}`)

const each = {
  // The package's own imports (`#platform/*`) lead to the sources.
  ssr: { resolve: { conditions: ['strongroom-source', 'node'] } },
}

const options = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  pool: 'forks',
  // Several files at once make the timing tests slow and lie.
  maxWorkers: 2,
} as const

export default defineConfig({
  test: {
    globalSetup: ['test/fixtures/postgresql/run.ts'],
    projects: [
      { ...each, test: { ...options, name: 'alone', include: alone } },
      {
        ...each,
        test: {
          ...options,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          // Loading the sources takes longer than most files take: those of one process share them. With SLOW every file has its own.
          isolate: Boolean(process.env['SLOW']),
        },
      },
    ],
  },
})
