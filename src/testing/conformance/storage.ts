import assert from 'node:assert/strict'
import type { Storage } from '../../core/storage/port.ts'
import { commitCases } from './commits.ts'
import { idCases } from './ids.ts'
import { type ApplicationTransaction, joinCases } from './joins.ts'
import { lifetimeCases, reopenCases } from './lifetime.ts'
import { limitCases } from './limits.ts'
import { listCases } from './lists.ts'
import { logCases } from './logs.ts'
import { readCases } from './reads.ts'
import { scanCases } from './scans.ts'
import { sharedCases } from './shared.ts'
import { openStorageBench, type StorageCase } from './storage-bench.ts'
import { watchCases } from './watches.ts'

/** Features of the port that a storage can lack. A feature is tested unless its member is false. */
export interface Supports {
  /** Whether a commit with a repeated id returns the result of the first commit with that id. */
  readonly ids?: boolean
  /** Whether `append` is supported. */
  readonly logs?: boolean
  /** Whether `watch` reports commits. */
  readonly watch?: boolean
}

export interface ConformanceFixture {
  /** The beginning of each test's name. */
  readonly name: string
  /** Opens a new, empty storage. Called once per test; the test closes the storage. */
  open(): Promise<Storage>
  /** Opens a new storage on the store of a closed storage. Required if `caps.durable` is true. */
  reopen?(closed: Storage): Promise<Storage>
  /** Opens a second storage on the store of an open storage, as another process would. Required if several processes may share a store. */
  another?(open: Storage): Promise<Storage>
  /** Begins a transaction of the application in the database that a storage uses. If absent, the tests of `join` are skipped. */
  begin?(storage: Storage): Promise<ApplicationTransaction>
  /** Registers a test with the test runner, such as `test` of node:test or Vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
  readonly supports?: Supports
}

/**
 * Registers the conformance suite of the storage port, for authors of adapters. A test is skipped if it needs a feature that is
 * false in `supports`, or an optional function of the fixture (`reopen`, `another`, `begin`) that is absent.
 *
 * @example
 * import { test } from 'node:test'
 * storageConformance({ name: 'my store', open: async () => myStorage(), test })
 */
export function storageConformance(fixture: ConformanceFixture): void {
  const { name, test, supports = {} } = fixture
  const { ids = true, logs = true, watch = true } = supports
  const lacks = (needs: keyof Supports | undefined): boolean => needs !== undefined && !{ ids, logs, watch }[needs]

  const runCases = (cases: readonly StorageCase[]): void => {
    for (const { name: promise, run } of cases) {
      test(`${name}: ${promise}`, async () => {
        const storage = await fixture.open()
        try {
          await run(openStorageBench(storage))
        } finally {
          await storage.close()
        }
      })
    }
  }

  runCases([...commitCases, ...limitCases, ...readCases, ...scanCases, ...listCases, ...lifetimeCases])
  if (ids) runCases(idCases)
  if (logs) runCases(logCases)
  if (watch) runCases(watchCases)

  const { another, begin, reopen } = fixture
  for (const { name: promise, needs, run } of begin ? joinCases : []) {
    if (lacks(needs)) continue
    test(`${name}, joined to a transaction: ${promise}`, async () => {
      const storage = await fixture.open()
      try {
        await run(openStorageBench(storage), () => begin!(storage))
      } finally {
        await storage.close()
      }
    })
  }
  for (const { name: promise, needs, run } of another ? sharedCases : []) {
    if (lacks(needs)) continue
    test(`${name}, with two processes: ${promise}`, async () => {
      const one = await fixture.open()
      const other = await another!(one)
      try {
        await run(openStorageBench(one), openStorageBench(other))
      } finally {
        await Promise.all([one.close(), other.close()])
      }
    })
  }

  if (!reopen) {
    test(`${name}: declares that it is not durable, because the fixture has no function reopen`, async () => {
      const storage = await fixture.open()
      await storage.close()
      assert.equal(storage.caps.durable, false, 'the fixture must have `reopen` if caps.durable is true')
    })
    return
  }
  for (const { name: promise, needs, before, after } of reopenCases) {
    if (lacks(needs)) continue
    test(`${name}: ${promise}`, async () => {
      const first = await fixture.open()
      const found = await before(openStorageBench(first))
      await first.close()
      const second = await reopen(first)
      try {
        await after(openStorageBench(second), found)
      } finally {
        await second.close()
      }
    })
  }
}
