import { jsonRecord } from '../../core/contract/record-kind.ts'
import { type StaticRoleRecord, StaticRoles } from '../credentials/static-roles.ts'
import type { CredentialSettings } from './credential/index.ts'
import type { ConnectionDetails } from './port.ts'
import type { RotationSettings } from './rotation/rotation.ts'

export interface ConnectionRecord {
  readonly plugin_name: string
  /** The required plugin version, such as `v1.2.3`. An empty string means any version. */
  readonly plugin_version: string
  readonly details: ConnectionDetails
  readonly allowed_roles: readonly string[]
  readonly root_rotation_statements: readonly string[]
  /** The name of the password policy. An empty string means the default policy. */
  readonly password_policy: string
  /** A random id that changes with each write, made by `randomGeneration`. */
  readonly generation: string
}

/** Connections, stored at `r/<mount>/config/<name>`. */
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
  /** The lifetime of leases in seconds. 0 means the default of the mount. */
  readonly default_ttl: number
  /** The maximum lifetime of leases in seconds. 0 means the maximum of the mount. */
  readonly max_ttl: number
}

/** Roles, stored at `r/<mount>/role/<name>`. */
export const DATABASE_ROLE = /* @__PURE__ */ jsonRecord<DatabaseRole>({ folder: 'role' })

export interface DatabaseStaticRole extends CommonRole, StaticRoleRecord {
  readonly rotation: RotationSettings
  readonly rotation_statements: readonly string[]
  /** The number of credentials that the user has had. `staticCreds` returns it. */
  readonly version: number
}

/** Static roles, stored at `r/<mount>/static-role/<name>`. */
export const DATABASE_STATIC_ROLE = /* @__PURE__ */ jsonRecord<DatabaseStaticRole>({ folder: 'static-role' })

/** The credential of a static role, with the same members as in the answer of `staticCreds`: for example `password`. */
export type DatabaseStaticCredential = Readonly<Record<string, string>>

/** The credentials of static users, stored at `r/<mount>/static-credential/<name>` and written in the same commit as the role. */
export const DATABASE_STATIC_CREDENTIAL = /* @__PURE__ */ jsonRecord<DatabaseStaticCredential>({ folder: 'static-credential' })

export const DATABASE_STATIC_ROLES = /* @__PURE__ */ new StaticRoles(DATABASE_STATIC_ROLE, DATABASE_STATIC_CREDENTIAL)
