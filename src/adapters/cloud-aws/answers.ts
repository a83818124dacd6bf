/**
 * Answers of the SDK as the port has them: what an answer lacks makes it none.
 */
import type { CloudUser, TemporaryCredentials } from '../../engines/cloud/port.ts'
import { AwsError } from './failure.ts'
import type { SdkTemporaryCredentials, SdkUser } from './sdk.ts'

/** @throws AwsError `unknown`: the call may have been carried out. */
export function there<T>(value: T | undefined): T {
  if (value !== undefined && value !== '') return value
  throw new AwsError('unknown', 'IncompleteAnswer')
}

export function userOf({ User: user }: { readonly User?: SdkUser | undefined }): CloudUser {
  const { UserName, UserId, Arn } = there(user)
  return { userName: there(UserName), userId: there(UserId), arn: there(Arn) }
}

export function temporaryOf(made: SdkTemporaryCredentials | undefined): TemporaryCredentials {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = there(made)
  return {
    accessKeyId: there(AccessKeyId),
    secretAccessKey: there(SecretAccessKey),
    sessionToken: there(SessionToken),
    expiration: millisecondsOf(Expiration),
  }
}

/** @throws AwsError `unknown` */
export function millisecondsOf(date: Date | undefined): number {
  const ms = there(date).getTime()
  if (Number.isFinite(ms)) return ms
  throw new AwsError('unknown', 'IncompleteAnswer')
}

/** Documents come percent-encoded. @throws AwsError `invalid` where one is not. */
export function decoded(document: string): string {
  try {
    return decodeURIComponent(document)
  } catch {
    throw new AwsError('invalid', 'MalformedPolicyDocument')
  }
}
