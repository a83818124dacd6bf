import type { CloudClient, TemporaryCredentials } from '../../engines/cloud/port.ts'
import type { ActionAnswer, AnswerValue } from './answer.ts'
import type { QueryParams } from './params.ts'
import { AwsRefusal } from './refusal.ts'
import type { CloudCall } from './trouble.ts'

/** Performs one AWS action. @throws AwsRefusal if the fake cloud refuses it. */
export type RunAction = (action: string, params: QueryParams) => ActionAnswer

/**
 * Performs one call of a client method. `apply` performs the one or more AWS actions of the call. If a test has added a failure for the
 * call, the call fails as the test requested.
 */
export type PerformCall = <T>(call: CloudCall, request: object, signal: AbortSignal, apply: (ask: RunAction) => T) => Promise<T>

const text = (answer: AnswerValue | undefined, name: string): string => String((answer as ActionAnswer | undefined)?.[name] ?? '')

/** Calls the action for all pages of a list and returns their items. @param name The member of the answer that contains the list. */
function listAll(ask: RunAction, action: string, name: string, params: QueryParams): readonly AnswerValue[] {
  const found: AnswerValue[] = []
  for (let marker = ''; ; ) {
    const answer = ask(action, marker === '' ? params : { ...params, Marker: marker })
    found.push(...(answer[name] as readonly AnswerValue[]))
    if (answer['IsTruncated'] !== true) return found
    marker = text(answer, 'Marker')
  }
}

/** Converts member names to those of AWS: `userName` to `UserName`. */
const toQueryParams = (request: object): QueryParams =>
  Object.fromEntries(
    Object.entries(request).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.charAt(0).toUpperCase() + name.slice(1), String(value)]],
    ),
  )

const memberParams = (name: string, suffix: string, values: readonly string[]): QueryParams =>
  Object.fromEntries(values.map((value, at) => [`${name}.member.${at + 1}${suffix}`, value]))

const toTemporaryCredentials = (answer: ActionAnswer): TemporaryCredentials => {
  const { Credentials: made } = answer
  return {
    accessKeyId: text(made, 'AccessKeyId'),
    secretAccessKey: text(made, 'SecretAccessKey'),
    sessionToken: text(made, 'SessionToken'),
    expiration: Date.parse(text(made, 'Expiration')),
  }
}

const toCloudUser = ({ User: user }: ActionAnswer) => ({
  userName: text(user, 'UserName'),
  userId: text(user, 'UserId'),
  arn: text(user, 'Arn'),
})

/** Calls `work` and ignores the refusal NoSuchEntity. */
function unlessMissing(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AwsRefusal && error.reason === 'not-found')) throw error
  }
}

function deleteExtras(ask: RunAction, params: QueryParams): void {
  unlessMissing(() => ask('DeleteLoginProfile', params))
  for (const device of listAll(ask, 'ListMFADevices', 'MFADevices', params)) {
    const SerialNumber = text(device, 'SerialNumber')
    ask('DeactivateMFADevice', { ...params, SerialNumber })
    if (SerialNumber.startsWith('arn:')) unlessMissing(() => ask('DeleteVirtualMFADevice', { SerialNumber }))
  }
  for (const [list, member, deletion, id] of [
    ['ListSSHPublicKeys', 'SSHPublicKeys', 'DeleteSSHPublicKey', 'SSHPublicKeyId'],
    ['ListSigningCertificates', 'Certificates', 'DeleteSigningCertificate', 'CertificateId'],
    [
      'ListServiceSpecificCredentials',
      'ServiceSpecificCredentials',
      'DeleteServiceSpecificCredential',
      'ServiceSpecificCredentialId',
    ],
  ] as const)
    for (const one of listAll(ask, list, member, params)) ask(deletion, { ...params, [id]: text(one, id) })
}

export function fakeCloudClient(carryOut: PerformCall, close: () => void): CloudClient {
  /** Returns the implementation of a client method that performs one action and returns nothing. */
  const does =
    (call: CloudCall) =>
    (request: object, signal: AbortSignal): Promise<void> =>
      carryOut(call, request, signal, (ask) => void ask(actionName(call), toQueryParams(request)))
  /**
   * Returns the implementation of a client method that returns a list. If `member` is given, the list contains that member of each item.
   */
  const lists =
    (call: CloudCall, name: string, member?: string) =>
    (request: object, signal: AbortSignal): Promise<readonly string[]> =>
      carryOut(call, request, signal, (ask) =>
        listAll(ask, actionName(call), name, toQueryParams(request)).map((one) =>
          member === undefined ? String(one) : text(one, member),
        ),
      )
  return {
    getUser: (request, signal) =>
      carryOut('getUser', request, signal, (ask) => toCloudUser(ask('GetUser', toQueryParams(request)))),
    createUser: (user, signal) =>
      carryOut('createUser', user, signal, (ask) => toCloudUser(ask('CreateUser', toQueryParams(user)))),
    deleteUser: does('deleteUser'),
    tagUser: ({ userName, tags }, signal) =>
      carryOut('tagUser', { userName, tags }, signal, (ask) => {
        const keys = memberParams(
          'Tags',
          '.Key',
          tags.map(({ key }) => key),
        )
        const values = memberParams(
          'Tags',
          '.Value',
          tags.map(({ value }) => value),
        )
        ask('TagUser', { UserName: userName, ...keys, ...values })
      }),
    attachUserPolicy: does('attachUserPolicy'),
    detachUserPolicy: does('detachUserPolicy'),
    listAttachedUserPolicies: lists('listAttachedUserPolicies', 'AttachedPolicies', 'PolicyArn'),
    putUserPolicy: does('putUserPolicy'),
    deleteUserPolicy: does('deleteUserPolicy'),
    listUserPolicies: lists('listUserPolicies', 'PolicyNames'),
    addUserToGroup: does('addUserToGroup'),
    removeUserFromGroup: does('removeUserFromGroup'),
    listGroupsForUser: lists('listGroupsForUser', 'Groups', 'GroupName'),
    listAttachedGroupPolicies: lists('listAttachedGroupPolicies', 'AttachedPolicies', 'PolicyArn'),
    listGroupPolicies: lists('listGroupPolicies', 'PolicyNames'),
    getGroupPolicy: (request, signal) =>
      carryOut('getGroupPolicy', request, signal, (ask) =>
        decodeURIComponent(text(ask('GetGroupPolicy', toQueryParams(request)), 'PolicyDocument')),
      ),
    createAccessKey: (request, signal) =>
      carryOut('createAccessKey', request, signal, (ask) => {
        const { AccessKey: made } = ask('CreateAccessKey', toQueryParams(request))
        return { accessKeyId: text(made, 'AccessKeyId'), secretAccessKey: text(made, 'SecretAccessKey') }
      }),
    listAccessKeys: (request, signal) =>
      carryOut('listAccessKeys', request, signal, (ask) =>
        listAll(ask, 'ListAccessKeys', 'AccessKeyMetadata', toQueryParams(request)).map((one) => ({
          accessKeyId: text(one, 'AccessKeyId'),
          createDate: Date.parse(text(one, 'CreateDate')),
        })),
      ),
    updateAccessKey: does('updateAccessKey'),
    deleteAccessKey: does('deleteAccessKey'),
    deleteUserExtras: (request, signal) =>
      carryOut('deleteUserExtras', request, signal, (ask) => deleteExtras(ask, toQueryParams(request))),
    assumeRole: (request, signal) =>
      carryOut('assumeRole', request, signal, (ask) => {
        const { policyArns, ...rest } = request
        const answer = ask('AssumeRole', { ...toQueryParams(rest), ...memberParams('PolicyArns', '.arn', policyArns) })
        return { ...toTemporaryCredentials(answer), assumedRoleArn: text(answer['AssumedRoleUser'], 'Arn') }
      }),
    getFederationToken: (request, signal) =>
      carryOut('getFederationToken', request, signal, (ask) => {
        const { policyArns, ...rest } = request
        return toTemporaryCredentials(
          ask('GetFederationToken', { ...toQueryParams(rest), ...memberParams('PolicyArns', '.arn', policyArns) }),
        )
      }),
    close: async () => close(),
  }
}

/** Returns the name of the AWS action for a client method: `CreateUser` for `createUser`. */
export const actionName = (call: CloudCall): string => call.charAt(0).toUpperCase() + call.slice(1)
