/**
 * Users of the fake cloud, their keys, and sessions.
 */

export interface FakeCloudKey {
  /** Whether it has been made inactive; then nothing is allowed by it. */
  readonly inactive?: true
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Milliseconds. */
  readonly createDate: number
}

/** Kinds of what keeps a user from being deleted although the engine never made it. */
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
  /** Milliseconds. */
  readonly createDate: number
  readonly permissionsBoundary?: string
  readonly tags: ReadonlyMap<string, string>
  /** ARNs. */
  readonly attached: ReadonlySet<string>
  /** Documents by name. */
  readonly inline: ReadonlyMap<string, string>
  readonly groups: ReadonlySet<string>
  /** Oldest first. */
  readonly keys: readonly FakeCloudKey[]
  /** By id. */
  readonly extras: ReadonlyMap<string, FakeCloudExtra>
}

export interface CloudUserState extends FakeCloudUser {
  readonly tags: Map<string, string>
  readonly attached: Set<string>
  readonly inline: Map<string, string>
  readonly groups: Set<string>
  readonly keys: FakeCloudKey[]
  readonly extras: Map<string, FakeCloudExtra>
  /** Milliseconds: until then nobody sees the user. */
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
  /** Milliseconds. */
  readonly expiration: number
  readonly arn: string
}

/** Milliseconds until what is made from now on can be seen. */
export interface FakeCloudDelays {
  /** Until then every call about a new user says that there is none. */
  users_ms: number
  /** Until then a new key is unknown to whoever is asked with it. */
  keys_ms: number
}

/** Who asks: a user, or a session of one. */
export interface CloudCaller {
  readonly arn: string
  readonly user?: CloudUserState
}

/** A key that is known at present. */
export interface KnownAccessKey {
  readonly caller: CloudCaller
  readonly secret: string
  /** Of temporary credentials. */
  readonly session?: FakeCloudSession
}
