/** Runs the conformance suite of storages without a test runner. */
import type { ConformanceFixture } from '../testing/index.ts'
import type { Finding } from './finding.ts'

/** @returns One finding for each failed test, or one for the whole suite. */
export async function runConformance(
  fixture: Omit<ConformanceFixture, 'name' | 'test'>,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { storageConformance } = await import('../testing/index.ts')
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = []
  storageConformance({ ...fixture, name: 'storage', test: (name, run) => tests.push({ name, run }) })
  const failures: Finding[] = []
  for (const { name, run } of tests) {
    signal.throwIfAborted()
    try {
      await run()
    } catch (error) {
      failures.push({ check: 'conformance', result: 'failed', message: `${name}: ${(error as Error).message}` })
    }
  }
  return failures.length > 0 ? failures : [{ check: 'conformance', result: 'ok', message: `${tests.length} tests` }]
}
