import { jsonRecord } from '../../core/contract/record-kind.ts'
import { type StaticRoleRecord, StaticRoles } from '../credentials/static-roles.ts'

export interface RootConfig {
  /** The id of the access key. `access_key` and `secret_key` are empty if the mount uses the provider's ambient credentials. */
  readonly access_key: string
  readonly secret_key: string
  /** The region. An empty string means the provider's default. */
  readonly region: string
  /** The IAM endpoint. An empty string means the provider's default. */
  readonly iam_endpoint: string
  /** The STS endpoint. An empty string means the provider's default. */
  readonly sts_endpoint: string
  /** The number of retries. A negative number means the provider's default. */
  readonly max_retries: number
  /** The template for names. An empty string means the default template. */
  readonly username_template: string
  /** A random id that changes with each write, made by `randomGeneration`. */
  readonly generation: string
}

/** The only record id in its folder. */
export const ROOT_NAME = 'root'

/** The root configuration, stored at `r/<mount>/config/root`. */
export const ROOT = /* @__PURE__ */ jsonRecord<RootConfig>({ folder: 'config' })

/** The lease terms of users, as Go durations such as `12h0m0s`. */
export interface LeaseConfig {
  readonly lease: string
  readonly lease_max: string
}

/** The only record id in its folder. */
export const LEASE_NAME = 'default'

/** The lease terms of users, stored at `r/<mount>/lease/default`. */
export const CLOUD_LEASE = /* @__PURE__ */ jsonRecord<LeaseConfig>({ folder: 'lease' })

export const CLOUD_CREDENTIAL_TYPES = ['iam_user', 'assumed_role', 'federation_token'] as const
export type CloudCredentialType = (typeof CLOUD_CREDENTIAL_TYPES)[number]

export interface CloudRole {
  /**
   * The credential types, usually one. A role that was written with the legacy parameter `policy` has two: `iam_user` and
   * `federation_token`.
   */
  readonly credential_types: readonly CloudCredentialType[]
  /** Null if the parameter was never given. */
  readonly role_arns: readonly string[] | null
  /** Null if the parameter was never given. */
  readonly policy_arns: readonly string[] | null
  /** JSON without white space between tokens. Empty if there is no policy document. */
  readonly policy_document: string
  /** Null if the parameter was never given. */
  readonly iam_groups: readonly string[] | null
  /** Null if the parameter was never given. */
  readonly iam_tags: Readonly<Record<string, string>> | null
  /** The default lifetime of temporary credentials in seconds. 0 means 3,600. */
  readonly default_sts_ttl: number
  /** The maximum lifetime of temporary credentials in seconds. 0 means the maximum of the mount. */
  readonly max_sts_ttl: number
  /** The IAM path of users. An empty string means `/`. */
  readonly user_path: string
  /** Empty if there is no permissions boundary. */
  readonly permissions_boundary_arn: string
  /**
   * Set if the role was written with legacy parameters. Users are then available only at `creds`, and temporary credentials only at `sts`.
   */
  readonly legacy?: true
  /**
   * Vault sets this member if the text of a role in its oldest format cannot be parsed. Such a role has no credential type. This engine reads
   * the member, so that reads show it as in Vault, but never sets it.
   */
  readonly invalid_data?: string
}

/** Roles, stored at `r/<mount>/role/<name>`. */
export const CLOUD_ROLE = /* @__PURE__ */ jsonRecord<CloudRole>({ folder: 'role' })

export interface CloudStaticRole extends StaticRoleRecord {
  /** The immutable id of the user. */
  readonly id: string
  /** The time between rotations in seconds. */
  readonly rotation_period: number
  /** Set while the role is being deleted. Its key may already be deleted, so reads no longer return the key. */
  readonly ending?: true
}

/** Static roles, stored at `r/<mount>/static-role/<name>`. */
export const CLOUD_STATIC_ROLE = /* @__PURE__ */ jsonRecord<CloudStaticRole>({ folder: 'static-role' })

export interface CloudStaticCredential {
  readonly access_key: string
  readonly secret_key: string
}

/** The keys of static users, stored at `r/<mount>/static-credential/<name>` and written in the same commit as the role. */
export const CLOUD_STATIC_CREDENTIAL = /* @__PURE__ */ jsonRecord<CloudStaticCredential>({ folder: 'static-credential' })

export const CLOUD_STATIC_ROLES = /* @__PURE__ */ new StaticRoles(CLOUD_STATIC_ROLE, CLOUD_STATIC_CREDENTIAL)

/** The static roles of a user. Usually at most two roles, because AWS allows two access keys per user. */
export interface StaticUser {
  /** The names of the static roles that use the user. */
  readonly roles: readonly string[]
}

/** The static roles of each user, stored at `r/<mount>/static-user/<user id>` and written in the same commits as the roles. */
export const STATIC_USER = /* @__PURE__ */ jsonRecord<StaticUser>({ folder: 'static-user' })
