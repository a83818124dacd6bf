/** Converts SDK answers to the types of the port. An answer that lacks a required member is an error. */
import type { CloudUser, TemporaryCredentials } from '../../engines/cloud/port.ts'
import { AwsError } from './failure.ts'
import type { SdkTemporaryCredentials, SdkUser } from './sdk.ts'

/** @throws AwsError if the value is missing. The reason is `unknown`, because the call may have taken effect. */
export function requirePresent<T>(value: T | undefined): T {
  if (value !== undefined && value !== '') return value
  throw new AwsError('unknown', 'IncompleteAnswer')
}

export function toCloudUser({ User: user }: { readonly User?: SdkUser | undefined }): CloudUser {
  const { UserName, UserId, Arn } = requirePresent(user)
  return { userName: requirePresent(UserName), userId: requirePresent(UserId), arn: requirePresent(Arn) }
}

export function toTemporaryCredentials(made: SdkTemporaryCredentials | undefined): TemporaryCredentials {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = requirePresent(made)
  return {
    accessKeyId: requirePresent(AccessKeyId),
    secretAccessKey: requirePresent(SecretAccessKey),
    sessionToken: requirePresent(SessionToken),
    expiration: dateMilliseconds(Expiration),
  }
}

/** @throws AwsError `unknown` if the date is missing or invalid. */
export function dateMilliseconds(date: Date | undefined): number {
  const ms = requirePresent(date).getTime()
  if (Number.isFinite(ms)) return ms
  throw new AwsError('unknown', 'IncompleteAnswer')
}

/** Decodes a policy document, which AWS returns percent-encoded. @throws AwsError `invalid` if the encoding is invalid. */
export function decodeDocument(document: string): string {
  try {
    return decodeURIComponent(document)
  } catch {
    throw new AwsError('invalid', 'MalformedPolicyDocument')
  }
}
