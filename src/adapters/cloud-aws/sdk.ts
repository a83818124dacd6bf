/**
 * The parts of the packages `@aws-sdk/client-iam` and `@aws-sdk/client-sts` that are used here, as structural types, so that the packages
 * are imported only when they are first used.
 */

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
}

/** Provides credentials, such as `fromNodeProviderChain()` of `@aws-sdk/credential-providers`. */
export type AwsCredentialsProvider = () => Promise<AwsCredentials>

interface AbortOptions {
  readonly abortSignal: AbortSignal
}

/** A method of an SDK client. The input has the member names of the SDK. */
type SdkCall<Output> = (input: never, options: AbortOptions) => Promise<Output>

/** A middleware of the SDK, which wraps the sending of a request. */
export type Middleware = (
  next: (request: never) => Promise<unknown>,
  context: { readonly commandName?: string },
) => (request: never) => Promise<unknown>

interface MiddlewareStack {
  addRelativeTo(
    middleware: never,
    options: { readonly name: string; readonly relation: 'after'; readonly toMiddleware: string },
  ): void
}

interface SdkClient {
  readonly middlewareStack: MiddlewareStack
  destroy(): void
}

type Maybe<T> = T | undefined

export interface PagedOutput {
  readonly IsTruncated?: Maybe<boolean>
  readonly Marker?: Maybe<string>
}

export interface Iam extends SdkClient {
  readonly getUser: SdkCall<{ readonly User?: Maybe<SdkUser> }>
  readonly createUser: SdkCall<{ readonly User?: Maybe<SdkUser> }>
  readonly deleteUser: SdkCall<unknown>
  readonly tagUser: SdkCall<unknown>
  readonly attachUserPolicy: SdkCall<unknown>
  readonly detachUserPolicy: SdkCall<unknown>
  readonly listAttachedUserPolicies: SdkCall<PagedOutput & { readonly AttachedPolicies?: Maybe<SdkAttachedPolicy[]> }>
  readonly putUserPolicy: SdkCall<unknown>
  readonly deleteUserPolicy: SdkCall<unknown>
  readonly listUserPolicies: SdkCall<PagedOutput & { readonly PolicyNames?: Maybe<string[]> }>
  readonly addUserToGroup: SdkCall<unknown>
  readonly removeUserFromGroup: SdkCall<unknown>
  readonly listGroupsForUser: SdkCall<PagedOutput & { readonly Groups?: Maybe<{ readonly GroupName?: Maybe<string> }[]> }>
  readonly listAttachedGroupPolicies: SdkCall<PagedOutput & { readonly AttachedPolicies?: Maybe<SdkAttachedPolicy[]> }>
  readonly listGroupPolicies: SdkCall<PagedOutput & { readonly PolicyNames?: Maybe<string[]> }>
  readonly getGroupPolicy: SdkCall<{ readonly PolicyDocument?: Maybe<string> }>
  readonly createAccessKey: SdkCall<{
    readonly AccessKey?: Maybe<{ readonly AccessKeyId?: Maybe<string>; readonly SecretAccessKey?: Maybe<string> }>
  }>
  readonly listAccessKeys: SdkCall<PagedOutput & { readonly AccessKeyMetadata?: Maybe<SdkAccessKey[]> }>
  readonly updateAccessKey: SdkCall<unknown>
  readonly deleteAccessKey: SdkCall<unknown>
  readonly deleteLoginProfile: SdkCall<unknown>
  readonly listMFADevices: SdkCall<PagedOutput & { readonly MFADevices?: Maybe<{ readonly SerialNumber?: Maybe<string> }[]> }>
  readonly deactivateMFADevice: SdkCall<unknown>
  readonly deleteVirtualMFADevice: SdkCall<unknown>
  readonly listSSHPublicKeys: SdkCall<
    PagedOutput & { readonly SSHPublicKeys?: Maybe<{ readonly SSHPublicKeyId?: Maybe<string> }[]> }
  >
  readonly deleteSSHPublicKey: SdkCall<unknown>
  readonly listSigningCertificates: SdkCall<
    PagedOutput & { readonly Certificates?: Maybe<{ readonly CertificateId?: Maybe<string> }[]> }
  >
  readonly deleteSigningCertificate: SdkCall<unknown>
  readonly listServiceSpecificCredentials: SdkCall<
    PagedOutput & {
      readonly ServiceSpecificCredentials?: Maybe<{ readonly ServiceSpecificCredentialId?: Maybe<string> }[]>
    }
  >
  readonly deleteServiceSpecificCredential: SdkCall<unknown>
}

export interface Sts extends SdkClient {
  readonly assumeRole: SdkCall<{
    readonly Credentials?: Maybe<SdkTemporaryCredentials>
    readonly AssumedRoleUser?: Maybe<{ readonly Arn?: Maybe<string> }>
  }>
  readonly getFederationToken: SdkCall<{ readonly Credentials?: Maybe<SdkTemporaryCredentials> }>
}

export interface SdkUser {
  readonly UserName?: Maybe<string>
  readonly UserId?: Maybe<string>
  readonly Arn?: Maybe<string>
}

interface SdkAttachedPolicy {
  readonly PolicyArn?: Maybe<string>
}

interface SdkAccessKey {
  readonly AccessKeyId?: Maybe<string>
  readonly CreateDate?: Maybe<Date>
}

export interface SdkTemporaryCredentials {
  readonly AccessKeyId?: Maybe<string>
  readonly SecretAccessKey?: Maybe<string>
  readonly SessionToken?: Maybe<string>
  readonly Expiration?: Maybe<Date>
}

type SdkConfig = Readonly<Record<string, unknown>>

/** The package `@aws-sdk/client-iam`. */
export interface IamModule {
  readonly IAM: new (config: SdkConfig) => Iam
}

/** The package `@aws-sdk/client-sts`. */
export interface StsModule {
  readonly STS: new (config: SdkConfig) => Sts
}
