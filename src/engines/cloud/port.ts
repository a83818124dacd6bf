/**
 * The port of the cloud engine: IAM and STS of one cloud.
 */
import type { AmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import { portObject } from '../../core/contract/ports.ts'

/** What a client is made of. Absent members: the provider's own choice. */
export interface CloudSettings {
  /** With `secretKey`, or neither: then the provider has ambient credentials. */
  readonly accessKey?: string
  readonly secretKey?: string
  readonly region?: string
  /** A URL. */
  readonly iamEndpoint?: string
  /** A URL. */
  readonly stsEndpoint?: string
  /** Attempts after the first. */
  readonly maxRetries?: number
}

export interface CloudUser {
  readonly userName: string
  /** Immutable: another one if a user is made anew under the same name. */
  readonly userId: string
  readonly arn: string
}

export interface NewCloudUser {
  readonly userName: string
  /** Begins and ends with a slash. */
  readonly path: string
  /** The ARN of a policy. */
  readonly permissionsBoundary?: string
}

export interface CloudTag {
  readonly key: string
  readonly value: string
}

export interface CloudAccessKey {
  readonly accessKeyId: string
  /** Milliseconds since the Unix epoch. */
  readonly createDate: number
}

export interface NewCloudAccessKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** A limit on what temporary credentials may do. */
export interface SessionPolicy {
  /** JSON; absent: none. */
  readonly policy?: string
  /** ARNs of managed policies; empty: none. */
  readonly policyArns: readonly string[]
}

export interface AssumeRoleRequest extends SessionPolicy {
  readonly roleArn: string
  readonly roleSessionName: string
  readonly durationSeconds: number
}

export interface FederationTokenRequest extends SessionPolicy {
  readonly name: string
  readonly durationSeconds: number
}

export interface TemporaryCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  /** Milliseconds since the Unix epoch. */
  readonly expiration: number
}

/** @property assumedRoleArn The ARN of the session. */
export interface AssumedRole extends TemporaryCredentials {
  readonly assumedRoleArn: string
}

/**
 * IAM and STS with one set of credentials. All methods may be called concurrently. `signal` is aborted at the deadline, and when the kernel
 * closes; what became of a call that was given up nobody knows. Lists are whole, however many pages they have.
 *
 * Whatever is thrown never leaves the kernel as it is: see {@link CloudFailure}.
 */
export interface CloudClient {
  /** @param userName Absent: the user that the credentials belong to. */
  getUser(request: { readonly userName?: string }, signal: AbortSignal): Promise<CloudUser>
  /** A user of that name that is there already is a failure (`already-exists`). */
  createUser(user: NewCloudUser, signal: AbortSignal): Promise<CloudUser>
  /** A user that has keys, policies, groups or anything else is a failure (`delete-conflict`). */
  deleteUser(request: { readonly userName: string }, signal: AbortSignal): Promise<void>
  tagUser(request: { readonly userName: string; readonly tags: readonly CloudTag[] }, signal: AbortSignal): Promise<void>

  attachUserPolicy(request: { readonly userName: string; readonly policyArn: string }, signal: AbortSignal): Promise<void>
  detachUserPolicy(request: { readonly userName: string; readonly policyArn: string }, signal: AbortSignal): Promise<void>
  /** @returns ARNs. */
  listAttachedUserPolicies(request: { readonly userName: string }, signal: AbortSignal): Promise<readonly string[]>
  /** @param policyDocument JSON. */
  putUserPolicy(
    request: { readonly userName: string; readonly policyName: string; readonly policyDocument: string },
    signal: AbortSignal,
  ): Promise<void>
  deleteUserPolicy(request: { readonly userName: string; readonly policyName: string }, signal: AbortSignal): Promise<void>
  /** @returns Names of inline policies. */
  listUserPolicies(request: { readonly userName: string }, signal: AbortSignal): Promise<readonly string[]>

  addUserToGroup(request: { readonly userName: string; readonly groupName: string }, signal: AbortSignal): Promise<void>
  removeUserFromGroup(request: { readonly userName: string; readonly groupName: string }, signal: AbortSignal): Promise<void>
  /** @returns Names. */
  listGroupsForUser(request: { readonly userName: string }, signal: AbortSignal): Promise<readonly string[]>
  /** @returns ARNs. */
  listAttachedGroupPolicies(request: { readonly groupName: string }, signal: AbortSignal): Promise<readonly string[]>
  /** @returns Names of inline policies. */
  listGroupPolicies(request: { readonly groupName: string }, signal: AbortSignal): Promise<readonly string[]>
  /** @returns The document, JSON. */
  getGroupPolicy(request: { readonly groupName: string; readonly policyName: string }, signal: AbortSignal): Promise<string>

  createAccessKey(request: { readonly userName: string }, signal: AbortSignal): Promise<NewCloudAccessKey>
  listAccessKeys(request: { readonly userName: string }, signal: AbortSignal): Promise<readonly CloudAccessKey[]>
  /** A key that is inactive cannot be used. */
  updateAccessKey(
    request: { readonly userName: string; readonly accessKeyId: string; readonly status: 'Inactive' },
    signal: AbortSignal,
  ): Promise<void>
  deleteAccessKey(request: { readonly userName: string; readonly accessKeyId: string }, signal: AbortSignal): Promise<void>
  /**
   * Takes away what else keeps a user from being deleted: login profile, MFA devices, SSH keys, certificates, service credentials. What is
   * not there is no failure.
   */
  deleteUserExtras(request: { readonly userName: string }, signal: AbortSignal): Promise<void>

  assumeRole(request: AssumeRoleRequest, signal: AbortSignal): Promise<AssumedRole>
  getFederationToken(request: FederationTokenRequest, signal: AbortSignal): Promise<TemporaryCredentials>

  /** Gives back all connections. Idempotent. */
  close(): Promise<void>
}

/** What is handed to whoever asked for credentials. @property security_token Null for keys of a user. */
export interface HandedCredentials {
  readonly access_key: string
  readonly secret_key: string
  readonly security_token: string | null
}

export interface CloudProvider {
  /** Answers at once, without asking anything; a promise is refused. One client serves all requests of a configuration. */
  connect(settings: CloudSettings): CloudClient
  /** There are credentials without any in the settings. Default: false. */
  readonly ambient?: boolean
  /** Namespaces whose mounts may use them. Default: the root namespace alone. */
  readonly ambient_namespaces?: AmbientNamespaces
  /**
   * Whether credentials are known to the cloud everywhere yet. Asked again with back-off until it says so, or until `readyTimeoutMs`;
   * then they are handed out with a warning. Absent: they are handed out at once.
   */
  readonly ready?: (credentials: HandedCredentials, signal: AbortSignal) => Promise<boolean>
  /** Milliseconds for all questions together. Default: 30,000. */
  readonly readyTimeoutMs?: number
}

export const CLOUD_FAILURES = [
  'not-found',
  /** Nothing was done. */
  'throttled',
  'limit-exceeded',
  'already-exists',
  'delete-conflict',
  /** Also credentials that the cloud does not know, and wrong signatures. */
  'access-denied',
  /** A malformed or too large policy, a name or duration out of range. */
  'invalid',
  'expired-credentials',
  /** No connection, one that was lost, a failure of the cloud's own: what became of the call nobody knows. */
  'unavailable',
  /** Anything else: what became of the call nobody knows. */
  'unknown',
] as const
export type CloudFailureReason = (typeof CLOUD_FAILURES)[number]

/** What a provider throws. Any other error counts as `unknown`. Of its text nothing is shown: the kernel shows reason and code. */
export interface CloudFailure extends Error {
  readonly reason: CloudFailureReason
  /** The cloud's own code, such as `NoSuchEntity`: letters, digits, underscores and periods, at most 60. */
  readonly code?: string
}

export const CLOUD = /* @__PURE__ */ portObject<CloudProvider>({ connect: true })

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** IAM and STS, such as `awsCloud()`. */
    readonly cloud?: CloudProvider
  }
}
