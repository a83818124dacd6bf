import type { CloudClient, SessionPolicy } from '../../engines/cloud/port.ts'
import { dateMilliseconds, decodeDocument, requirePresent, toCloudUser, toTemporaryCredentials } from './answers.ts'
import type { AwsConnection } from './connection.ts'
import { deleteExtras } from './extras.ts'
import { allPages, MAX_PAGE_ITEMS } from './pages.ts'
import type { Iam, PagedOutput } from './sdk.ts'

interface AbortOptions {
  readonly abortSignal: AbortSignal
}

type IamCall<Output> = (input: never, options: AbortOptions) => Promise<Output>

/** Converts member names to those of the SDK: `userName` to `UserName`. */
const capitalizeNames = (request: object): never =>
  Object.fromEntries(
    Object.entries(request).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.charAt(0).toUpperCase() + name.slice(1), value]],
    ),
  ) as never

const sessionLimits = ({ policy, policyArns }: SessionPolicy) => ({
  ...(policy !== undefined && { Policy: policy }),
  ...(policyArns.length > 0 && { PolicyArns: policyArns.map((arn) => ({ arn })) }),
})

export function awsClient(connection: AwsConnection): CloudClient {
  const does =
    (call: (iam: Iam) => IamCall<unknown>) =>
    (request: object, signal: AbortSignal): Promise<void> =>
      connection.iam(signal, async (iam, options) => {
        await call(iam).call(iam, capitalizeNames(request), options)
      })
  const lists =
    <P extends PagedOutput, T>(call: (iam: Iam) => IamCall<P>, itemsOf: (page: P) => readonly T[] | undefined) =>
    (request: object, signal: AbortSignal): Promise<readonly T[]> =>
      connection.iam(signal, (iam, options) =>
        allPages(
          (marker) => call(iam).call(iam, capitalizeNames({ ...request, MaxItems: MAX_PAGE_ITEMS, ...marker }), options),
          itemsOf,
        ),
      )
  return {
    getUser: (request, signal) =>
      connection.iam(signal, async (iam, options) => toCloudUser(await iam.getUser(capitalizeNames(request), options))),
    createUser: (request, signal) =>
      connection.iam(signal, async (iam, options) => toCloudUser(await iam.createUser(capitalizeNames(request), options))),
    deleteUser: does((iam) => iam.deleteUser),
    tagUser: ({ userName, tags }, signal) =>
      does((iam) => iam.tagUser)({ userName, tags: tags.map(({ key, value }) => ({ Key: key, Value: value })) }, signal),
    attachUserPolicy: does((iam) => iam.attachUserPolicy),
    detachUserPolicy: does((iam) => iam.detachUserPolicy),
    listAttachedUserPolicies: lists(
      (iam) => iam.listAttachedUserPolicies,
      ({ AttachedPolicies }) => AttachedPolicies?.map(({ PolicyArn }) => requirePresent(PolicyArn)),
    ),
    putUserPolicy: does((iam) => iam.putUserPolicy),
    deleteUserPolicy: does((iam) => iam.deleteUserPolicy),
    listUserPolicies: lists(
      (iam) => iam.listUserPolicies,
      ({ PolicyNames }) => PolicyNames,
    ),
    addUserToGroup: does((iam) => iam.addUserToGroup),
    removeUserFromGroup: does((iam) => iam.removeUserFromGroup),
    listGroupsForUser: lists(
      (iam) => iam.listGroupsForUser,
      ({ Groups }) => Groups?.map(({ GroupName }) => requirePresent(GroupName)),
    ),
    listAttachedGroupPolicies: lists(
      (iam) => iam.listAttachedGroupPolicies,
      ({ AttachedPolicies }) => AttachedPolicies?.map(({ PolicyArn }) => requirePresent(PolicyArn)),
    ),
    listGroupPolicies: lists(
      (iam) => iam.listGroupPolicies,
      ({ PolicyNames }) => PolicyNames,
    ),
    getGroupPolicy: (request, signal) =>
      connection.iam(signal, async (iam, options) => {
        const { PolicyDocument } = await iam.getGroupPolicy(capitalizeNames(request), options)
        return decodeDocument(requirePresent(PolicyDocument))
      }),
    createAccessKey: (request, signal) =>
      connection.iam(signal, async (iam, options) => {
        const { AccessKey } = await iam.createAccessKey(capitalizeNames(request), options)
        const { AccessKeyId, SecretAccessKey } = requirePresent(AccessKey)
        return { accessKeyId: requirePresent(AccessKeyId), secretAccessKey: requirePresent(SecretAccessKey) }
      }),
    listAccessKeys: lists(
      (iam) => iam.listAccessKeys,
      ({ AccessKeyMetadata }) =>
        AccessKeyMetadata?.map(({ AccessKeyId, CreateDate }) => ({
          accessKeyId: requirePresent(AccessKeyId),
          createDate: dateMilliseconds(CreateDate),
        })),
    ),
    updateAccessKey: does((iam) => iam.updateAccessKey),
    deleteAccessKey: does((iam) => iam.deleteAccessKey),
    deleteUserExtras: ({ userName }, signal) => connection.iam(signal, (iam, options) => deleteExtras(iam, userName, options)),
    assumeRole: ({ roleArn, roleSessionName, durationSeconds, ...more }, signal) =>
      connection.sts(signal, async (sts, options) => {
        const input = capitalizeNames({ roleArn, roleSessionName, durationSeconds, ...sessionLimits(more) })
        const { Credentials, AssumedRoleUser } = await sts.assumeRole(input, options)
        return { ...toTemporaryCredentials(Credentials), assumedRoleArn: requirePresent(AssumedRoleUser?.Arn) }
      }),
    getFederationToken: ({ name, durationSeconds, ...more }, signal) =>
      connection.sts(signal, async (sts, options) => {
        const { Credentials } = await sts.getFederationToken(
          capitalizeNames({ name, durationSeconds, ...sessionLimits(more) }),
          options,
        )
        return toTemporaryCredentials(Credentials)
      }),
    close: () => connection.close(),
  }
}
