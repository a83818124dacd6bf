import { portMap } from '../../core/contract/ports.ts'

/** The kinds of credentials that users of a database can have. */
export type CredentialType = 'password' | 'rsa_private_key' | 'client_certificate'

/** The part of a credential that the database stores. */
export type DatabaseCredential =
  | { readonly type: 'password'; readonly password: string }
  /** @property public_key The public key as SubjectPublicKeyInfo in PEM. */
  | { readonly type: 'rsa_private_key'; readonly public_key: string }
  /** @property subject The distinguished name of the certificate: `CN=<name>`. */
  | { readonly type: 'client_certificate'; readonly subject: string }

/**
 * The parameters of a connection that the plugin interprets: URL, user, password, pool sizes, TLS. `configure` receives the parameters of
 * the request; all other methods receive the details that `configure` returned.
 */
export type ConnectionDetails = Readonly<Record<string, unknown>>

export interface NewDatabaseUser {
  readonly username: string
  readonly credential: DatabaseCredential
  /**
   * Statements to execute in order, in one transaction if the database supports that. The plugin splits each string into statements and
   * replaces the placeholders.
   */
  readonly statements: readonly string[]
  /** Statements that undo a creation that failed halfway, for databases without transactions. An empty list means the plugin's default. */
  readonly rollback_statements: readonly string[]
  /** Milliseconds since the Unix epoch. After this time the database refuses the user, if the user has not been dropped before. */
  readonly expiration: number
}

export interface DatabaseUserChange {
  readonly username: string
  /** The new credential. If absent, the credential stays unchanged. */
  readonly credential?: DatabaseCredential
  /** The new expiration in milliseconds since the Unix epoch. If absent, the expiration stays unchanged. */
  readonly expiration?: number
  /** Statements that make the change. An empty list means the plugin's default statements. */
  readonly statements: readonly string[]
}

export interface DroppedDatabaseUser {
  readonly username: string
  /** Statements that drop the user. An empty list means the plugin's default statements. */
  readonly statements: readonly string[]
}

/**
 * Manages the users of one database server. The kernel calls methods concurrently. An aborted call may or may not take effect. The kernel
 * repeats `updateUser` and `deleteUser` with the same values until they succeed, so these two methods must be idempotent.
 *
 * Every method must report a failure by throwing a {@link DatabaseFailure}. `signal` is aborted at the deadline of the call and when the
 * kernel closes.
 */
export interface DatabaseConnection {
  /** The maximum length of a user name in the database. The kernel refuses longer names before it sends a request. */
  readonly longest_name: { readonly count: number; readonly unit: 'bytes' | 'characters' }
  /** Fails with reason `statement` if a user of this name exists. */
  createUser(user: NewDatabaseUser, signal: AbortSignal): Promise<void>
  updateUser(change: DatabaseUserChange, signal: AbortSignal): Promise<void>
  /** Succeeds if the user does not exist. */
  deleteUser(user: DroppedDatabaseUser, signal: AbortSignal): Promise<void>
  /** Closes all connections to the server. Idempotent. */
  close(): Promise<void>
}

export interface DatabasePlugin {
  /** The version of the plugin, such as `v1.2.3`, with which `plugin_version` is compared. Absent if the plugin has no version. */
  readonly version?: string
  readonly credential_types: readonly CredentialType[]
  /** The default template for user names. The kernel executes it with the fields `DisplayName` and `RoleName`. */
  readonly username_template: string
  /**
   * Validates the details without connecting, and returns the details to store, with `password` unchanged. `configure`, `shown` and
   * `warnings` must be synchronous: they must not return a promise.
   * @throws DatabaseFailure with reason `invalid` and a message that users may see.
   */
  configure(details: ConnectionDetails): ConnectionDetails
  /** Returns the details that users may see: without password and private keys, and with passwords in URLs masked. */
  shown(details: ConnectionDetails): ConnectionDetails
  /** Returns warnings about details that are accepted and stored. */
  warnings(details: ConnectionDetails): readonly string[]
  /** Logs in with `username` and `password` of the details, and resolves after the server has accepted them. */
  connect(details: ConnectionDetails, signal: AbortSignal): Promise<DatabaseConnection>
}

export const DATABASE_FAILURES = [
  /**
   * The plugin does not support the details, the statements or the credential. It has sent no request to the server. The kernel answers
   * 400.
   */
  'invalid',
  /** The server is unreachable or the connection was lost. The call may have taken effect. */
  'connection',
  /** The server refused the login. */
  'auth',
  /** The server refused a statement. The call has changed nothing. */
  'statement',
  /** The method `close` of the connection was called before. The kernel opens a new connection for the next call. */
  'closed',
  'timeout',
] as const
export type DatabaseFailureReason = (typeof DATABASE_FAILURES)[number]

/**
 * The error that a plugin throws. Any other error counts as `connection`. Users see `code` and a fixed message of the kernel for the
 * reason. Only for the reason `invalid` do they see the message of the plugin; this message must not quote the server, the driver or a
 * secret.
 */
export interface DatabaseFailure extends Error {
  readonly reason: DatabaseFailureReason
  /** The server's own code, such as an SQLSTATE: letters, digits and underscores, at most 40. */
  readonly code?: string
}

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** The database plugins by name, such as `postgresql-database-plugin`. The `plugin_name` of a connection is one of these names. */
    readonly databases?: Readonly<Record<string, DatabasePlugin>>
  }
}

export const DATABASES = /* @__PURE__ */ portMap<DatabasePlugin>({ configure: true, shown: true, warnings: true, connect: true })
