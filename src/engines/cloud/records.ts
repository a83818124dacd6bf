/**
 * What the engine keeps.
 */
import { jsonRecord } from '../../core/contract/record-kind.ts'

export interface RootConfig {
  /** Empty, as the secret key then: the provider's ambient credentials. */
  readonly access_key: string
  readonly secret_key: string
  /** Empty: the provider's own choice. */
  readonly region: string
  /** Empty: the provider's own choice. */
  readonly iam_endpoint: string
  /** Empty: the provider's own choice. */
  readonly sts_endpoint: string
  /** Attempts after the first; negative: the provider's own choice. */
  readonly max_retries: number
  /** Empty: the default. */
  readonly username_template: string
  /** Random; another one after each change, so that who has a client knows that it is out of date. */
  readonly generation: string
}

/** The one name in its folder. */
export const ROOT_NAME = 'root'

/** At `r/<mount>/config/root`. */
export const ROOT = /* @__PURE__ */ jsonRecord<RootConfig>({ folder: 'config' })

/** Durations of Go: `12h0m0s`. */
export interface LeaseConfig {
  readonly lease: string
  readonly lease_max: string
}

/** The one name in its folder. */
export const LEASE_NAME = 'default'

/** At `r/<mount>/lease/default`. */
export const LEASE = /* @__PURE__ */ jsonRecord<LeaseConfig>({ folder: 'lease' })

export const CLOUD_CREDENTIAL_TYPES = ['iam_user', 'assumed_role', 'federation_token'] as const
export type CloudCredentialType = (typeof CLOUD_CREDENTIAL_TYPES)[number]

export interface CloudRole {
  /** One, or `iam_user` and `federation_token`: a role that was written as a legacy policy. */
  readonly credential_types: readonly CloudCredentialType[]
  /** Null: never given. */
  readonly role_arns: readonly string[] | null
  /** Null: never given. */
  readonly policy_arns: readonly string[] | null
  /** JSON without blanks between its tokens; empty: none. */
  readonly policy_document: string
  /** Null: never given. */
  readonly iam_groups: readonly string[] | null
  /** Null: never given. */
  readonly iam_tags: Readonly<Record<string, string>> | null
  /** Seconds; 0: 3600. */
  readonly default_sts_ttl: number
  /** Seconds; 0: as the mount says. */
  readonly max_sts_ttl: number
  /** Empty: `/`. */
  readonly user_path: string
  /** Empty: none. */
  readonly permissions_boundary_arn: string
  /** Written by legacy parameters: users by `creds` alone, tokens by `sts` alone. */
  readonly legacy?: true
  /** What the role was to be read from, where that could not be read; no type then. Nothing here writes it. */
  readonly invalid_data?: string
}

/** At `r/<mount>/role/<name>`. */
export const CLOUD_ROLE = /* @__PURE__ */ jsonRecord<CloudRole>({ folder: 'role' })

export interface CloudStaticRole {
  readonly username: string
  /** The user's immutable id. */
  readonly id: string
  /** Seconds. */
  readonly rotation_period: number
  /** Milliseconds of the last rotation. */
  readonly last: number
  /** Milliseconds: when it is due, which is where its entry in the due index stands. */
  readonly next: number
  /** How often in a row a rotation has failed. */
  readonly failures: number
  /** It is being deleted: its key may be dead already, and is not handed out any more. */
  readonly ending?: true
}

/** At `r/<mount>/static-role/<name>`. */
export const CLOUD_STATIC_ROLE = /* @__PURE__ */ jsonRecord<CloudStaticRole>({ folder: 'static-role' })

export interface CloudStaticCredential {
  readonly access_key: string
  readonly secret_key: string
}

/** At `r/<mount>/static-credential/<name>`; written with its role. */
export const CLOUD_STATIC_CREDENTIAL = /* @__PURE__ */ jsonRecord<CloudStaticCredential>({ folder: 'static-credential' })

/** Who has adopted a user. A user has two keys at most, and so few roles. */
export interface StaticUser {
  /** Names of static roles. */
  readonly roles: readonly string[]
}

/** At `r/<mount>/static-user/<immutable id of the user>`; written with its roles. */
export const STATIC_USER = /* @__PURE__ */ jsonRecord<StaticUser>({ folder: 'static-user' })
