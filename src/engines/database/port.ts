/**
 * The port of the database engine: one plugin for each kind of database.
 */
import { portMap } from '../../core/contract/ports.ts'

/** What a database can be told about a user. */
export type CredentialType = 'password' | 'rsa_private_key' | 'client_certificate'

/** What a user of the database proves itself by. */
export type DatabaseCredential =
  | { readonly type: 'password'; readonly password: string }
  /** @property public_key PEM, SubjectPublicKeyInfo. */
  | { readonly type: 'rsa_private_key'; readonly public_key: string }
  /** @property subject The distinguished name of the certificate: `CN=<name>`. */
  | { readonly type: 'client_certificate'; readonly subject: string }

/** All of a connection that is the plugin's own: URL, user, password, pool sizes, TLS. As it was written, or as `configure` returned it. */
export type ConnectionDetails = Readonly<Record<string, unknown>>

export interface NewDatabaseUser {
  readonly username: string
  readonly credential: DatabaseCredential
  /** Run in order, in one transaction where the database has those. Never split yet, placeholders never replaced yet. */
  readonly statements: readonly string[]
  /** For databases without transactions: what takes back a creation that failed half way. Empty: the plugin's default. */
  readonly rollback_statements: readonly string[]
  /** Milliseconds: when the database itself is to refuse the user, should nobody drop it. */
  readonly expiration: number
}

export interface DatabaseUserChange {
  readonly username: string
  /** The new credential; absent: it stays. */
  readonly credential?: DatabaseCredential
  /** Milliseconds; the new end; absent: it stays. */
  readonly expiration?: number
  /** Empty: the plugin's default for such a change. */
  readonly statements: readonly string[]
}

export interface DroppedDatabaseUser {
  readonly username: string
  /** Empty: the plugin's default. */
  readonly statements: readonly string[]
}

/**
 * Users of one database server. All methods may be called concurrently. What was done when a call is given up, nobody knows: each is asked
 * again with the same values until it succeeds, so doing something a second time has to come to the same.
 *
 * Whatever is thrown never leaves the kernel as it is: see {@link DatabaseFailure}. `signal` is aborted at the deadline, and when the kernel closes.
 */
export interface DatabaseConnection {
  /** Longer names the database would cut or refuse; they are refused before anything is sent. */
  readonly longest_name: { readonly count: number; readonly unit: 'bytes' | 'characters' }
  /** A user of that name that is there already is a failure (`statement`). */
  createUser(user: NewDatabaseUser, signal: AbortSignal): Promise<void>
  updateUser(change: DatabaseUserChange, signal: AbortSignal): Promise<void>
  /** A user that is gone already is no failure. */
  deleteUser(user: DroppedDatabaseUser, signal: AbortSignal): Promise<void>
  /** Gives back all connections. Idempotent. */
  close(): Promise<void>
}

export interface DatabasePlugin {
  /** Of the plugin, as `plugin_version` may name it: `v1.2.3`. Absent: it has none. */
  readonly version?: string
  readonly credential_types: readonly CredentialType[]
  /** The template of user names where the connection has none of its own; run by the kernel, with `DisplayName` and `RoleName`. */
  readonly username_template: string
  /**
   * Judges what was configured, without connecting, and returns what is to be stored of it: a `password` stays in it as it is.
   * This and the two below answer at once: a promise is refused.
   * @throws DatabaseFailure `invalid`, with a message that may be shown.
   */
  configure(details: ConnectionDetails): ConnectionDetails
  /** What may be shown of details: without password and private keys, passwords within URLs masked. */
  shown(details: ConnectionDetails): ConnectionDetails
  /** Where there is a warning to give about details that are stored all the same. */
  warnings(details: ConnectionDetails): readonly string[]
  /** Logs in, with `username` and `password` of the details, and has made sure of it when it resolves. */
  connect(details: ConnectionDetails, signal: AbortSignal): Promise<DatabaseConnection>
}

export const DATABASE_FAILURES = [
  /** What was asked cannot be: details, statements or credentials that this database does not take. Nothing was sent. Answered 400. */
  'invalid',
  /** No connection, or one that was lost: what became of the call nobody knows. */
  'connection',
  /** The server refused the login. */
  'auth',
  /** The server refused a statement; nothing of the call holds. */
  'statement',
  /** The connection was closed meanwhile; a new one may be tried. */
  'closed',
  'timeout',
] as const
export type DatabaseFailureReason = (typeof DATABASE_FAILURES)[number]

/**
 * What an adapter throws. Any other error counts as `connection`. Of its text nothing is shown but of `invalid`, whose message the adapter makes
 * of its own words alone; of the others the kernel shows reason and code.
 */
export interface DatabaseFailure extends Error {
  readonly reason: DatabaseFailureReason
  /** The server's own code, such as an SQLSTATE: letters, digits and underscores, at most 40. */
  readonly code?: string
}

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** By the name that connections give as `plugin_name`, such as `postgresql-database-plugin`. */
    readonly databases?: Readonly<Record<string, DatabasePlugin>>
  }
}

export const DATABASES = /* @__PURE__ */ portMap<DatabasePlugin>({ configure: true, shown: true, warnings: true, connect: true })
