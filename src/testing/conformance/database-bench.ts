import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import type {
  ConnectionDetails,
  DatabaseConnection,
  DatabaseFailureReason,
  DatabasePlugin,
  NewDatabaseUser,
} from '../../engines/database/port.ts'

export interface DatabaseConformanceFixture {
  /** The beginning of each test's name. */
  readonly name: string
  readonly plugin: DatabasePlugin
  /**
   * Returns the connection details of a server. The user in `username` and `password` must be allowed to create users. Called once per
   * test.
   */
  details(): ConnectionDetails | Promise<ConnectionDetails>
  /** Returns whether the server accepts this login. It must call the server directly, without the plugin. */
  login(username: string, password: string): boolean | Promise<boolean>
  /** Statements that create a user who can log in. */
  readonly creation_statements: readonly string[]
  /** Statements that create a user and then fail. */
  readonly failing_statements: readonly string[]
  /** Registers a test with the test runner, such as `test` of node:test or Vitest. */
  readonly test: (name: string, run: () => Promise<void>) => unknown
}

/** The plugin under test with an open connection, and helper methods for the tests. */
export interface DatabaseBench {
  readonly plugin: DatabasePlugin
  readonly details: ConnectionDetails
  readonly connection: DatabaseConnection
  readonly signal: AbortSignal
  readonly failing: readonly string[]
  login(username: string, password: string): Promise<boolean>
  /** Returns the parameters to create a user with an unused name. If the test creates the user, it is dropped at the end of the test. */
  user(more?: Partial<NewDatabaseUser> & { readonly password?: string }): NewDatabaseUser & { readonly password: string }
  /** Opens another connection, which is closed at the end of the test. */
  connect(details: ConnectionDetails): Promise<DatabaseConnection>
  /** Asserts that `work` fails with an error as the port requires: with this `reason`, and with none of the secrets in any text. */
  refuses(reason: DatabaseFailureReason, work: () => unknown, ...secrets: string[]): Promise<void>
  close(): Promise<void>
}

export interface DatabaseCase {
  readonly name: string
  run(bench: DatabaseBench): Promise<void>
}

const CALL_MS = 20_000
const HOUR_MS = 3_600_000
let names = 0

export async function openDatabaseBench(fixture: DatabaseConformanceFixture): Promise<DatabaseBench> {
  const { plugin } = fixture
  const details = await fixture.details()
  const signal = AbortSignal.timeout(CALL_MS)
  // Remove the limit of listeners, because many concurrent calls add listeners to the same signal.
  setMaxListeners(0, signal)
  const made = new Set<string>()
  const connections: DatabaseConnection[] = []
  const connect = async (to: ConnectionDetails): Promise<DatabaseConnection> => {
    const connection = await plugin.connect(plugin.configure(to), signal)
    connections.push(connection)
    return connection
  }
  const connection = await connect(details)
  return {
    plugin,
    details,
    connection,
    signal,
    failing: fixture.failing_statements,
    login: async (username, password) => fixture.login(username, password),
    user({ password = 'pass-Word-1', ...more } = {}) {
      const user = {
        username: `conformance-${Date.now().toString(36)}-${++names}`,
        credential: { type: 'password', password } as const,
        statements: fixture.creation_statements,
        rollback_statements: [],
        expiration: Date.now() + HOUR_MS,
        ...more,
      }
      made.add(user.username)
      return { ...user, password }
    },
    connect,
    async refuses(reason, work, ...secrets) {
      const error: unknown = await (async () => work())().then(
        () => assert.fail(`was not refused (${reason})`),
        (thrown: unknown) => thrown,
      )
      assert.ok(error instanceof Error, 'must throw an Error')
      const { reason: given, code } = error as { reason?: unknown; code?: unknown }
      assert.equal(given, reason, `failed for another reason: ${error.message}`)
      if (code !== undefined) assert.match(String(code), /^\w{1,40}$/)
      const told = `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String((error as { cause?: unknown }).cause)}`
      for (const secret of secrets) assert.ok(!told.includes(secret), 'the error must not contain a secret')
    },
    async close() {
      const last = await plugin.connect(plugin.configure(details), AbortSignal.timeout(CALL_MS))
      for (const username of made) await last.deleteUser({ username, statements: [] }, AbortSignal.timeout(CALL_MS))
      await Promise.all([...connections, last].map((one) => one.close()))
    },
  }
}
