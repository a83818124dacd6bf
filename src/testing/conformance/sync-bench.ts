import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { SyncConfig, SyncDestination, SyncFailureKind, SyncPut, SyncSession } from '../../sys/sync/port.ts'

export interface SyncConformanceFixture {
  /** The prefix of the test names. */
  readonly name: string
  readonly destination: SyncDestination
  /** Returns the configuration for a store to which the test can write. Called once per test. */
  config(): SyncConfig | Promise<SyncConfig>
  /** Returns the given configuration, but with credentials that the store refuses. Omit this function if the store needs no credentials. */
  wrong?(config: SyncConfig): SyncConfig
  /** Returns the value of a secret; undefined if it does not exist. It must call the store directly, without the adapter. */
  read(name: string): string | undefined | Promise<string | undefined>
  /** Returns the tags of a secret. Required if the store supports tags. */
  tags?(name: string): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** The size in bytes of the largest value that the suite pushes. Default: `rules.maxValueBytes` of the destination. */
  readonly mostBytes?: number
  /** Registers a test with the test runner, such as `test` of node:test or Vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

/** The destination under test with an open session, and helper methods for the tests. */
export interface SyncBench extends Pick<SyncConformanceFixture, 'destination' | 'wrong' | 'tags'> {
  readonly config: SyncConfig
  readonly session: SyncSession
  readonly signal: AbortSignal
  readonly mostBytes: number
  read(name: string): Promise<string | undefined>
  /** Returns an unused, normalized name. If the test creates a secret with this name, it is removed at the end of the test. */
  name(): string
  /** Returns the parameters of a push: without tags and with a new random `opId`, unless `more` has other values. */
  push(name: string, value: string, more?: Partial<SyncPut>): SyncPut
  /** Opens another session, which is closed at the end of the test. */
  open(config?: SyncConfig): SyncSession
  /** Asserts that `work` fails with an error as the port requires: with one of these kinds, and with none of the secrets in any text. */
  fails(kinds: readonly SyncFailureKind[], work: () => unknown, ...secrets: string[]): Promise<void>
  close(): Promise<void>
}

export interface SyncCase {
  readonly name: string
  run(bench: SyncBench): Promise<void>
}

const CALL_MS = 30_000
let names = 0

/** Returns all texts of an error, in which the suite searches for secrets. */
const errorTexts = (error: Error): string =>
  `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String(error.cause)}\n${JSON.stringify(error.cause)}`

export async function openSyncBench(fixture: SyncConformanceFixture): Promise<SyncBench> {
  const { destination, wrong, tags } = fixture
  const { rules } = destination
  const config = await fixture.config()
  const signal = AbortSignal.timeout(CALL_MS)
  // Remove the limit of listeners, because many concurrent calls add listeners to the same signal.
  setMaxListeners(0, signal)
  const made = new Set<string>()
  const sessions: SyncSession[] = []
  const open = (to = config): SyncSession => {
    const session = destination.open(to)
    sessions.push(session)
    return session
  }
  return {
    destination,
    ...(wrong && { wrong }),
    ...(tags && { tags }),
    config,
    session: open(),
    signal,
    mostBytes: fixture.mostBytes ?? rules.maxValueBytes,
    read: async (name) => fixture.read(name),
    name() {
      const name = rules.normalizeName(`conformance/${Date.now().toString(36)}-${++names}`)
      made.add(name)
      return name
    },
    push: (name, value, more) => ({ name, value, tags: {}, removeTags: [], opId: randomUUID(), ...more }),
    open,
    async fails(kinds, work, ...secrets) {
      const error: unknown = await (async () => work())().then(
        () => assert.fail(`the call must fail with the kind ${kinds.join(' or ')}, but it succeeded`),
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof Error, 'the call must throw an Error')
      const { kind, code, retryAfterMs } = error as { kind?: unknown; code?: unknown; retryAfterMs?: unknown }
      assert.ok(
        kinds.includes(kind as SyncFailureKind),
        `the error must have the kind ${kinds.join(' or ')}, but it has the kind ${String(kind)}`,
      )
      if (code !== undefined) assert.match(String(code), /^[\w.]{1,60}$/)
      if (retryAfterMs !== undefined) assert.ok(Number.isFinite(retryAfterMs) && Number(retryAfterMs) >= 0)
      const told = errorTexts(error)
      for (const secret of secrets) assert.ok(!told.includes(secret), 'the error must not contain a secret')
    },
    async close() {
      const last = destination.open(config)
      for (const name of made) await last.remove({ name, opId: randomUUID() }, AbortSignal.timeout(CALL_MS))
      await Promise.all([...sessions, last].map((one) => one.close()))
    },
  }
}
