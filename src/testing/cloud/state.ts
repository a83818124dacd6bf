export interface FakeCloudKey {
  /** Set if the key was made inactive, so that calls with it fail. */
  readonly inactive?: true
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The creation time of the key, in milliseconds since the Unix epoch. */
  readonly createDate: number
}

/** Kinds of objects that prevent the deletion of a user. The engine itself never creates such objects. */
export const FAKE_CLOUD_EXTRAS = [
  'login_profile',
  'mfa_device',
  'ssh_key',
  'signing_certificate',
  'service_specific_credential',
] as const
export type FakeCloudExtra = (typeof FAKE_CLOUD_EXTRAS)[number]

export interface FakeCloudUser {
  readonly userName: string
  readonly userId: string
  readonly path: string
  readonly arn: string
  /** The creation time of the user, in milliseconds since the Unix epoch. */
  readonly createDate: number
  readonly permissionsBoundary?: string
  readonly tags: ReadonlyMap<string, string>
  /** The ARNs of attached managed policies. */
  readonly attached: ReadonlySet<string>
  /** The inline policy documents by name. */
  readonly inline: ReadonlyMap<string, string>
  readonly groups: ReadonlySet<string>
  /** The access keys of the user, the oldest first. */
  readonly keys: readonly FakeCloudKey[]
  /** The kinds of the attached objects, keyed by object id. */
  readonly extras: ReadonlyMap<string, FakeCloudExtra>
}

export interface CloudUserState extends FakeCloudUser {
  readonly tags: Map<string, string>
  readonly attached: Set<string>
  readonly inline: Map<string, string>
  readonly groups: Set<string>
  readonly keys: FakeCloudKey[]
  readonly extras: Map<string, FakeCloudExtra>
  /** The time from which the user is visible, in milliseconds since the Unix epoch. */
  readonly seenFrom: number
}

export interface CloudGroupState {
  readonly attached: readonly string[]
  readonly inline: ReadonlyMap<string, string>
}

export interface FakeCloudSession {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  /** The time at which the session expires, in milliseconds since the Unix epoch. */
  readonly expiration: number
  readonly arn: string
}

/** The delays in milliseconds until a new object is visible. */
export interface FakeCloudDelays {
  /** During this delay, calls for a new user fail with NoSuchEntity. */
  users_ms: number
  /** During this delay, calls with a new key fail with InvalidClientTokenId. */
  keys_ms: number
}

/** The authenticated caller. `user` is absent if the caller is a session. */
export interface CloudCaller {
  readonly arn: string
  readonly user?: CloudUserState
}

/** A valid access key and its owner. */
export interface KnownAccessKey {
  readonly caller: CloudCaller
  readonly secret: string
  /** The session; present only for temporary credentials. */
  readonly session?: FakeCloudSession
}
