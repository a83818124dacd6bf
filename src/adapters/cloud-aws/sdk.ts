/**
 * What is used of the packages `@aws-sdk/client-iam` and `@aws-sdk/client-sts`, told structurally: nothing is imported from them but at
 * first use.
 */

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
}

/** Such as `fromNodeProviderChain()` of `@aws-sdk/credential-providers`. */
export type AwsCredentialsProvider = () => Promise<AwsCredentials>

interface Options {
  readonly abortSignal: AbortSignal
}

/** Parameters are texts, numbers and lists, as the SDK names them. */
type Call<Output> = (input: never, options: Options) => Promise<Output>

/** What a request passes on its way to the network. */
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

interface Common {
  readonly middlewareStack: MiddlewareStack
  destroy(): void
}

type Maybe<T> = T | undefined

export interface PagedOutput {
  readonly IsTruncated?: Maybe<boolean>
  readonly Marker?: Maybe<string>
}

export interface Iam extends Common {
  readonly getUser: Call<{ readonly User?: Maybe<SdkUser> }>
  readonly createUser: Call<{ readonly User?: Maybe<SdkUser> }>
  readonly deleteUser: Call<unknown>
  readonly tagUser: Call<unknown>
  readonly attachUserPolicy: Call<unknown>
  readonly detachUserPolicy: Call<unknown>
  readonly listAttachedUserPolicies: Call<PagedOutput & { readonly AttachedPolicies?: Maybe<SdkAttachedPolicy[]> }>
  readonly putUserPolicy: Call<unknown>
  readonly deleteUserPolicy: Call<unknown>
  readonly listUserPolicies: Call<PagedOutput & { readonly PolicyNames?: Maybe<string[]> }>
  readonly addUserToGroup: Call<unknown>
  readonly removeUserFromGroup: Call<unknown>
  readonly listGroupsForUser: Call<PagedOutput & { readonly Groups?: Maybe<{ readonly GroupName?: Maybe<string> }[]> }>
  readonly listAttachedGroupPolicies: Call<PagedOutput & { readonly AttachedPolicies?: Maybe<SdkAttachedPolicy[]> }>
  readonly listGroupPolicies: Call<PagedOutput & { readonly PolicyNames?: Maybe<string[]> }>
  readonly getGroupPolicy: Call<{ readonly PolicyDocument?: Maybe<string> }>
  readonly createAccessKey: Call<{
    readonly AccessKey?: Maybe<{ readonly AccessKeyId?: Maybe<string>; readonly SecretAccessKey?: Maybe<string> }>
  }>
  readonly listAccessKeys: Call<PagedOutput & { readonly AccessKeyMetadata?: Maybe<SdkAccessKey[]> }>
  readonly updateAccessKey: Call<unknown>
  readonly deleteAccessKey: Call<unknown>
  readonly deleteLoginProfile: Call<unknown>
  readonly listMFADevices: Call<PagedOutput & { readonly MFADevices?: Maybe<{ readonly SerialNumber?: Maybe<string> }[]> }>
  readonly deactivateMFADevice: Call<unknown>
  readonly deleteVirtualMFADevice: Call<unknown>
  readonly listSSHPublicKeys: Call<
    PagedOutput & { readonly SSHPublicKeys?: Maybe<{ readonly SSHPublicKeyId?: Maybe<string> }[]> }
  >
  readonly deleteSSHPublicKey: Call<unknown>
  readonly listSigningCertificates: Call<
    PagedOutput & { readonly Certificates?: Maybe<{ readonly CertificateId?: Maybe<string> }[]> }
  >
  readonly deleteSigningCertificate: Call<unknown>
  readonly listServiceSpecificCredentials: Call<
    PagedOutput & {
      readonly ServiceSpecificCredentials?: Maybe<{ readonly ServiceSpecificCredentialId?: Maybe<string> }[]>
    }
  >
  readonly deleteServiceSpecificCredential: Call<unknown>
}

export interface Sts extends Common {
  readonly assumeRole: Call<{
    readonly Credentials?: Maybe<SdkTemporaryCredentials>
    readonly AssumedRoleUser?: Maybe<{ readonly Arn?: Maybe<string> }>
  }>
  readonly getFederationToken: Call<{ readonly Credentials?: Maybe<SdkTemporaryCredentials> }>
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

type Config = Readonly<Record<string, unknown>>

/** The package `@aws-sdk/client-iam`. */
export interface IamModule {
  readonly IAM: new (config: Config) => Iam
}

/** The package `@aws-sdk/client-sts`. */
export interface StsModule {
  readonly STS: new (config: Config) => Sts
}
