import type { AmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import { portObject } from '../../core/contract/ports.ts'

/** The settings of a client. The provider has a default for each absent member. */
export interface CloudSettings {
  /**
   * The id of the access key. Either both or neither of `accessKey` and `secretKey` are present. Without them, the client uses the
   * provider's ambient credentials.
   */
  readonly accessKey?: string
  readonly secretKey?: string
  readonly region?: string
  /** The URL of the IAM endpoint. */
  readonly iamEndpoint?: string
  /** The URL of the STS endpoint. */
  readonly stsEndpoint?: string
  /** The number of retries after the first attempt. */
  readonly maxRetries?: number
}

export interface CloudUser {
  readonly userName: string
  /** Immutable. A user that is deleted and created again gets a new id. */
  readonly userId: string
  readonly arn: string
}

export interface NewCloudUser {
  readonly userName: string
  /** The IAM path of the user, which begins and ends with a slash. */
  readonly path: string
  /** The ARN of the policy that is the permissions boundary of the user. */
  readonly permissionsBoundary?: string
}

export interface CloudTag {
  readonly key: string
  readonly value: string
}

export interface CloudAccessKey {
  readonly accessKeyId: string
  /** The creation time of the key, in milliseconds since the Unix epoch. */
  readonly createDate: number
}

export interface NewCloudAccessKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** A limit on what temporary credentials may do. */
export interface SessionPolicy {
  /** A policy document in JSON. Absent if there is no policy document. */
  readonly policy?: string
  /** ARNs of managed policies; may be empty. */
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
  /** The time at which the credentials expire, in milliseconds since the Unix epoch. */
  readonly expiration: number
}

/** @property assumedRoleArn The ARN of the session, such as `arn:aws:sts::123456789012:assumed-role/<role>/<session>`. */
export interface AssumedRole extends TemporaryCredentials {
  readonly assumedRoleArn: string
}

/**
 * A client for IAM and STS with one set of credentials. The engine calls methods concurrently. `signal` is aborted at the deadline of the
 * call and when the kernel closes; an aborted call may or may not take effect. The `list…` methods must read all pages and return the
 * complete list.
 *
 * Every method must report a failure by throwing a {@link CloudFailure}.
 */
export interface CloudClient {
  /** Without `userName`, returns the user that the credentials belong to. */
  getUser(request: { readonly userName?: string }, signal: AbortSignal): Promise<CloudUser>
  /** Fails with reason `already-exists` if a user of this name exists. */
  createUser(user: NewCloudUser, signal: AbortSignal): Promise<CloudUser>
  /** Fails with reason `delete-conflict` if the user has keys, policies, groups or other attached objects. */
  deleteUser(request: { readonly userName: string }, signal: AbortSignal): Promise<void>
  tagUser(request: { readonly userName: string; readonly tags: readonly CloudTag[] }, signal: AbortSignal): Promise<void>

  attachUserPolicy(request: { readonly userName: string; readonly policyArn: string }, signal: AbortSignal): Promise<void>
  detachUserPolicy(request: { readonly userName: string; readonly policyArn: string }, signal: AbortSignal): Promise<void>
  /** Returns ARNs. */
  listAttachedUserPolicies(request: { readonly userName: string }, signal: AbortSignal): Promise<readonly string[]>
  /** Sets an inline policy. `policyDocument` is JSON. */
  putUserPolicy(
    request: { readonly userName: string; readonly policyName: string; readonly policyDocument: string },
    signal: AbortSignal,
  ): Promise<void>
  deleteUserPolicy(request: { readonly userName: string; readonly policyName: string }, signal: AbortSignal): Promise<void>
  /** Returns the names of inline policies. */
  listUserPolicies(request: { readonly userName: string }, signal: AbortSignal): Promise<readonly string[]>

  addUserToGroup(request: { readonly userName: string; readonly groupName: string }, signal: AbortSignal): Promise<void>
  removeUserFromGroup(request: { readonly userName: string; readonly groupName: string }, signal: AbortSignal): Promise<void>
  /** Returns group names. */
  listGroupsForUser(request: { readonly userName: string }, signal: AbortSignal): Promise<readonly string[]>
  /** Returns ARNs. */
  listAttachedGroupPolicies(request: { readonly groupName: string }, signal: AbortSignal): Promise<readonly string[]>
  /** Returns the names of inline policies. */
  listGroupPolicies(request: { readonly groupName: string }, signal: AbortSignal): Promise<readonly string[]>
  /** Returns the policy document in JSON. */
  getGroupPolicy(request: { readonly groupName: string; readonly policyName: string }, signal: AbortSignal): Promise<string>

  createAccessKey(request: { readonly userName: string }, signal: AbortSignal): Promise<NewCloudAccessKey>
  listAccessKeys(request: { readonly userName: string }, signal: AbortSignal): Promise<readonly CloudAccessKey[]>
  /** Makes a key inactive, so that it cannot be used. */
  updateAccessKey(
    request: { readonly userName: string; readonly accessKeyId: string; readonly status: 'Inactive' },
    signal: AbortSignal,
  ): Promise<void>
  deleteAccessKey(request: { readonly userName: string; readonly accessKeyId: string }, signal: AbortSignal): Promise<void>
  /**
   * Deletes the objects that prevent the deletion of a user and for which this port has no other method: login profile, MFA devices, SSH
   * keys, certificates, service credentials. Missing objects are not a failure.
   */
  deleteUserExtras(request: { readonly userName: string }, signal: AbortSignal): Promise<void>

  assumeRole(request: AssumeRoleRequest, signal: AbortSignal): Promise<AssumedRole>
  getFederationToken(request: FederationTokenRequest, signal: AbortSignal): Promise<TemporaryCredentials>

  /** Closes all connections. A repeated call has no effect. */
  close(): Promise<void>
}

/** Credentials as callers of `creds` and `sts` receive them. @property security_token Null for the access key of a user. */
export interface HandedCredentials {
  readonly access_key: string
  readonly secret_key: string
  readonly security_token: string | null
}

export interface CloudProvider {
  /**
   * Creates a client synchronously and without calling the cloud. Must not return a promise. The client serves all requests of one root
   * configuration.
   */
  connect(settings: CloudSettings): CloudClient
  /** Whether the provider has ambient credentials, for configurations without keys. Default: false. */
  readonly ambient?: boolean
  /** Namespaces whose mounts may use the ambient credentials. Default: only the root namespace. */
  readonly ambient_namespaces?: AmbientNamespaces
  /**
   * Returns whether new credentials are valid everywhere in the cloud. The engine repeats the call with back-off until it returns true or
   * `readyTimeoutMs` has passed. After the timeout, the answer has a warning. If the method is absent, credentials are returned
   * immediately.
   */
  readonly ready?: (credentials: HandedCredentials, signal: AbortSignal) => Promise<boolean>
  /** Milliseconds for all calls of `ready` together. Default: 30,000. */
  readonly readyTimeoutMs?: number
}

export const CLOUD_FAILURES = [
  'not-found',
  /** The cloud did not execute the call, because there were too many calls. */
  'throttled',
  'limit-exceeded',
  'already-exists',
  'delete-conflict',
  /** The cloud refused the credentials or the operation. This includes unknown credentials and wrong signatures. */
  'access-denied',
  /** The cloud refused a parameter, for example a malformed policy, a policy that is too large, or a duration out of range. */
  'invalid',
  'expired-credentials',
  /** The cloud is unreachable, the connection was lost, or the cloud has failed. The call may have taken effect. */
  'unavailable',
  /** Any other failure. The call may have taken effect. */
  'unknown',
] as const
export type CloudFailureReason = (typeof CLOUD_FAILURES)[number]

/**
 * The error that a provider throws. Any other error counts as `unknown`. Users see `code` and a fixed message for the reason, but never the
 * message of this error.
 */
export interface CloudFailure extends Error {
  readonly reason: CloudFailureReason
  /** The cloud's own code, such as `NoSuchEntity`: letters, digits, underscores and periods, at most 60. */
  readonly code?: string
}

export const CLOUD = /* @__PURE__ */ portObject<CloudProvider>({ connect: true })

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** The cloud provider of the cloud engine, such as `awsCloud()`. */
    readonly cloud?: CloudProvider
  }
}
