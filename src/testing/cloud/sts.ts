import type { ActionRequest, CloudAction } from './action.ts'
import type { ActionAnswer } from './answer.ts'
import { integer, members, optional, type QueryParams, required, validation } from './params.ts'
import { AwsRefusal } from './refusal.ts'
import type { FakeCloudSession } from './state.ts'
import { validateSessionPolicy } from './validate-policy.ts'

const MIN_SESSION_SECONDS = 900
const MAX_FEDERATION_SECONDS = 129_600
const MAX_POLICY_ARNS = 10

function durationOf(params: QueryParams, longest: number, otherwise: number): number {
  const seconds = integer(params, 'DurationSeconds', otherwise)
  if (seconds < MIN_SESSION_SECONDS || seconds > longest)
    throw validation(`DurationSeconds ${seconds} is not between ${MIN_SESSION_SECONDS} and ${longest}`)
  return seconds
}

function validateSession({ world, params }: ActionRequest): void {
  const policy = optional(params, 'Policy')
  if (policy !== undefined) validateSessionPolicy(policy)
  const arns = members(params, 'PolicyArns', '.arn')
  if (arns.length > MAX_POLICY_ARNS) throw validation(`PolicyArns: must contain at most ${MAX_POLICY_ARNS} ARNs`)
  for (const arn of arns) if (!world.hasPolicy(arn)) throw validation(`${arn} is not a managed policy`)
}

const credentialsAnswer = ({ accessKeyId, secretAccessKey, sessionToken, expiration }: FakeCloudSession): ActionAnswer => ({
  AccessKeyId: accessKeyId,
  SecretAccessKey: secretAccessKey,
  SessionToken: sessionToken,
  Expiration: new Date(expiration).toISOString(),
})

export const STS: Readonly<Record<string, CloudAction>> = {
  AssumeRole(request) {
    const { world, params } = request
    const arn = required(params, 'RoleArn')
    const name = required(params, 'RoleSessionName')
    const longest = world.maxSessionSeconds(arn)
    if (longest === undefined)
      throw new AwsRefusal('AccessDenied', `not authorized to perform: sts:AssumeRole on resource: ${arn}`)
    const seconds = durationOf(params, longest, 3600)
    validateSession(request)
    const [, , , , account] = arn.split(':')
    const own = `arn:aws:sts::${account}:assumed-role/${arn.slice(arn.lastIndexOf('/') + 1)}/${name}`
    return {
      Credentials: credentialsAnswer(world.addSession(own, seconds)),
      AssumedRoleUser: { Arn: own, AssumedRoleId: `AROAIIIIIIIIIIIIIIIII:${name}` },
    }
  },
  GetFederationToken(request) {
    const { world, caller, params } = request
    const name = required(params, 'Name')
    if (!caller.user) throw new AwsRefusal('AccessDenied', 'Cannot call GetFederationToken with session credentials')
    const seconds = durationOf(params, MAX_FEDERATION_SECONDS, 43_200)
    validateSession(request)
    const own = `arn:aws:sts::${world.account}:federated-user/${name}`
    return {
      Credentials: credentialsAnswer(world.addSession(own, seconds)),
      FederatedUser: { Arn: own, FederatedUserId: `${world.account}:${name}` },
    }
  },
  GetCallerIdentity: ({ world, caller }) => ({
    Account: world.account,
    UserId: caller.user?.userId ?? 'AROAIIIIIIIIIIIIIIIII',
    Arn: caller.arn,
  }),
}
