import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The package's own imports (`#platform/*`) lead to the sources.
  ssr: { resolve: { conditions: ['strongroom-source', 'node', 'import', 'module', 'default'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/fixtures/postgresql/run.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Several files at once make the timing tests slow and lie.
    maxWorkers: 2,
  },
})
