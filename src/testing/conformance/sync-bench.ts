/**
 * What the cases of the sync suite are written with.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { SyncConfig, SyncDestination, SyncFailureKind, SyncPut, SyncSession } from '../../sys/sync/port.ts'

export interface SyncConformanceFixture {
  /** Begins the name of each test. */
  readonly name: string
  readonly destination: SyncDestination
  /** Of a store that may be written to. Asked for once per test. */
  config(): SyncConfig | Promise<SyncConfig>
  /** The same with credentials that the store does not know; absent: it knows none. */
  wrong?(config: SyncConfig): SyncConfig
  /** What is there under a name, to be asked of the store itself, past the adapter. */
  read(name: string): string | undefined | Promise<string | undefined>
  /** The tags of a name, where the store keeps any. */
  tags?(name: string): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>
  /** The most bytes that one value of the suite may have; default: as many as the rules allow. */
  readonly mostBytes?: number
  /** Registers a test with your runner: `test` of node:test and of Vitest fit as they are. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

/** One destination under test, and shorthands. */
export interface SyncBench extends Pick<SyncConformanceFixture, 'destination' | 'wrong' | 'tags'> {
  readonly config: SyncConfig
  readonly session: SyncSession
  readonly signal: AbortSignal
  readonly mostBytes: number
  read(name: string): Promise<string | undefined>
  /** A name that nothing else has, normalised. What is under it is removed at the end. */
  name(): string
  /** A push of a value, under an id of its own unless one is given. */
  push(name: string, value: string, more?: Partial<SyncPut>): SyncPut
  /** Another session, closed at the end. */
  open(config?: SyncConfig): SyncSession
  /** That it fails in one of these ways, in the form the port demands, without any of the secrets in what it says. */
  fails(kinds: readonly SyncFailureKind[], work: () => unknown, ...secrets: string[]): Promise<void>
  close(): Promise<void>
}

export interface SyncCase {
  readonly name: string
  run(bench: SyncBench): Promise<void>
}

const CALL_MS = 30_000
let names = 0

/** Everything that an error says of itself. */
const errorTexts = (error: Error): string =>
  `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String(error.cause)}\n${JSON.stringify(error.cause)}`

export async function openSyncBench(fixture: SyncConformanceFixture): Promise<SyncBench> {
  const { destination, wrong, tags } = fixture
  const { rules } = destination
  const config = await fixture.config()
  const signal = AbortSignal.timeout(CALL_MS)
  // One for many calls at once.
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
        () => assert.fail(`did not fail (${kinds.join(' or ')})`),
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof Error, 'an Error is thrown')
      const { kind, code, retryAfterMs } = error as { kind?: unknown; code?: unknown; retryAfterMs?: unknown }
      assert.ok(kinds.includes(kind as SyncFailureKind), `failed in another way: ${String(kind)}`)
      if (code !== undefined) assert.match(String(code), /^[\w.]{1,60}$/)
      if (retryAfterMs !== undefined) assert.ok(Number.isFinite(retryAfterMs) && Number(retryAfterMs) >= 0)
      const told = errorTexts(error)
      for (const secret of secrets) assert.ok(!told.includes(secret), 'the error tells a secret')
    },
    async close() {
      const last = destination.open(config)
      for (const name of made) await last.remove({ name, opId: randomUUID() }, AbortSignal.timeout(CALL_MS))
      await Promise.all([...sessions, last].map((one) => one.close()))
    },
  }
}
