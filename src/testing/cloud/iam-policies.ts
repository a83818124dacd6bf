import type { CloudAction } from './action.ts'
import { type AnswerValue, page } from './answer.ts'
import { required } from './params.ts'
import { AwsRefusal } from './refusal.ts'
import { validateUserPolicy } from './validate-policy.ts'

const attachedPolicy = (arn: string): AnswerValue => ({ PolicyName: arn.slice(arn.lastIndexOf('/') + 1), PolicyArn: arn })

const noPolicy = (name: string): AwsRefusal => new AwsRefusal('NoSuchEntity', `The policy with name ${name} cannot be found.`)

/** Percent-encodes a document (RFC 3986), as AWS does. */
const encoded = (document: string): string =>
  encodeURIComponent(document).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

export const IAM_POLICIES: Readonly<Record<string, CloudAction>> = {
  AttachUserPolicy({ world, params }) {
    const arn = required(params, 'PolicyArn')
    const user = world.user(required(params, 'UserName'))
    if (!world.hasPolicy(arn)) throw new AwsRefusal('NoSuchEntity', `Policy ${arn} does not exist or is not attachable.`)
    user.attached.add(arn)
    return {}
  },
  DetachUserPolicy({ world, params }) {
    const arn = required(params, 'PolicyArn')
    const user = world.user(required(params, 'UserName'))
    if (!user.attached.delete(arn)) throw new AwsRefusal('NoSuchEntity', `Policy ${arn} was not found.`)
    return {}
  },
  ListAttachedUserPolicies({ world, params, pageLimit }) {
    const { attached } = world.user(required(params, 'UserName'))
    return page(params, 'AttachedPolicies', [...attached].map(attachedPolicy), pageLimit)
  },
  PutUserPolicy({ world, params }) {
    const name = required(params, 'PolicyName')
    const document = required(params, 'PolicyDocument')
    const user = world.user(required(params, 'UserName'))
    validateUserPolicy(document)
    user.inline.set(name, document)
    return {}
  },
  DeleteUserPolicy({ world, params }) {
    const name = required(params, 'PolicyName')
    if (!world.user(required(params, 'UserName')).inline.delete(name)) throw noPolicy(name)
    return {}
  },
  ListUserPolicies({ world, params, pageLimit }) {
    const { inline } = world.user(required(params, 'UserName'))
    return page(params, 'PolicyNames', [...inline.keys()], pageLimit)
  },
  ListAttachedGroupPolicies({ world, params, pageLimit }) {
    const { attached } = world.group(required(params, 'GroupName'))
    return page(params, 'AttachedPolicies', attached.map(attachedPolicy), pageLimit)
  },
  ListGroupPolicies({ world, params, pageLimit }) {
    const { inline } = world.group(required(params, 'GroupName'))
    return page(params, 'PolicyNames', [...inline.keys()], pageLimit)
  },
  GetGroupPolicy({ world, params }) {
    const group = required(params, 'GroupName')
    const name = required(params, 'PolicyName')
    const document = world.group(group).inline.get(name)
    if (document === undefined) throw noPolicy(name)
    return { GroupName: group, PolicyName: name, PolicyDocument: encoded(document) }
  },
}
