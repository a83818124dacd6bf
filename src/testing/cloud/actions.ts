import type { CloudAction } from './action.ts'
import { IAM_EXTRAS } from './iam-extras.ts'
import { IAM_KEYS } from './iam-keys.ts'
import { IAM_POLICIES } from './iam-policies.ts'
import { IAM_USERS } from './iam-users.ts'
import { AwsRefusal } from './refusal.ts'
import { STS } from './sts.ts'

const IAM: Readonly<Record<string, CloudAction>> = { ...IAM_USERS, ...IAM_POLICIES, ...IAM_KEYS, ...IAM_EXTRAS }

export const SERVICES = { iam: IAM, sts: STS } as const
export type CloudService = keyof typeof SERVICES

/** Returns the action with this name. @throws AwsRefusal with the code InvalidAction if the service has no such action. */
export function actionOf(service: CloudService, name: string): CloudAction {
  const actions = SERVICES[service]
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action) return action
  throw new AwsRefusal('InvalidAction', `Could not find operation ${name}`)
}

export const serviceOf = (action: string): CloudService => (Object.hasOwn(STS, action) ? 'sts' : 'iam')
