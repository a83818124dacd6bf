/**
 * What the engine keeps.
 */
import { jsonRecord } from '../../core/contract/record-kind.ts'
import type { CredentialSettings } from './credential/index.ts'
import type { ConnectionDetails } from './port.ts'
import type { RotationSettings } from './rotation/rotation.ts'

export interface ConnectionRecord {
  readonly plugin_name: string
  /** `v1.2.3`; empty: the one without a version. */
  readonly plugin_version: string
  readonly details: ConnectionDetails
  readonly allowed_roles: readonly string[]
  readonly root_rotation_statements: readonly string[]
  /** Empty: the default policy. */
  readonly password_policy: string
  /** Random; another one after each change, so that who has a connection open knows that it is out of date. */
  readonly generation: string
}

/** At `r/<mount>/config/<name>`. */
export const CONNECTION = /* @__PURE__ */ jsonRecord<ConnectionRecord>({ folder: 'config' })

interface CommonRole {
  /** The name of the connection. */
  readonly db_name: string
  readonly credential: CredentialSettings
}

export interface DatabaseRole extends CommonRole {
  readonly creation_statements: readonly string[]
  readonly revocation_statements: readonly string[]
  readonly rollback_statements: readonly string[]
  readonly renew_statements: readonly string[]
  /** Seconds; 0: as the mount says. */
  readonly default_ttl: number
  /** Seconds; 0: as the mount says. */
  readonly max_ttl: number
}

/** At `r/<mount>/role/<name>`. */
export const DATABASE_ROLE = /* @__PURE__ */ jsonRecord<DatabaseRole>({ folder: 'role' })

export interface DatabaseStaticRole extends CommonRole {
  readonly rotation: RotationSettings
  readonly username: string
  readonly rotation_statements: readonly string[]
  /** Milliseconds of the last rotation. */
  readonly last: number
  /** Milliseconds: when it is due, which is where its entry in the due index stands. */
  readonly next: number
  /** How often in a row the database has refused a new value. */
  readonly failures: number
  /** How many credentials the user has been given; absent in records of the first versions. */
  readonly version?: number
}

/** At `r/<mount>/static-role/<name>`. */
export const DATABASE_STATIC_ROLE = /* @__PURE__ */ jsonRecord<DatabaseStaticRole>({ folder: 'static-role' })

/** What a static user logs in with: the result of a credential type. */
export type DatabaseStaticCredential = Readonly<Record<string, string>>

/** At `r/<mount>/static-credential/<name>`; written with its role. */
export const DATABASE_STATIC_CREDENTIAL = /* @__PURE__ */ jsonRecord<DatabaseStaticCredential>({ folder: 'static-credential' })
