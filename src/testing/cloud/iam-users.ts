import type { CloudAction } from './action.ts'
import { type ActionAnswer, dateText, page } from './answer.ts'
import type { FakeCloudWorld } from './fake-cloud-world.ts'
import { members, optional, required, validation } from './params.ts'
import { AwsRefusal } from './refusal.ts'
import type { CloudUserState } from './state.ts'

const MAX_TAGS = 50
const TAG_TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

const userAnswer = ({ userName, userId, path, arn, createDate, permissionsBoundary }: CloudUserState): ActionAnswer => ({
  Path: path,
  UserName: userName,
  UserId: userId,
  Arn: arn,
  CreateDate: dateText(createDate),
  ...(permissionsBoundary !== undefined && {
    PermissionsBoundary: { PermissionsBoundaryType: 'Policy', PermissionsBoundaryArn: permissionsBoundary },
  }),
})

const isInUse = ({ keys, attached, inline, groups, extras }: CloudUserState): boolean =>
  keys.length + attached.size + inline.size + groups.size + extras.size > 0

function putTags(user: CloudUserState, keys: readonly string[], values: readonly string[]): void {
  if (keys.length === 0 || keys.length !== values.length) throw validation('Tags: each tag must have a Key and a Value')
  for (const [at, key] of keys.entries()) {
    const value = values[at] ?? ''
    if (key.length < 1 || key.length > 128 || value.length > 256 || !TAG_TEXT.test(key) || !TAG_TEXT.test(value))
      throw validation('Tags: a key or value is too long or contains invalid characters')
    if (key.toLowerCase().startsWith('aws:')) throw new AwsRefusal('InvalidInput', 'aws: is a reserved prefix')
  }
  if (new Set(keys.map((key) => key.toLowerCase())).size < keys.length)
    throw new AwsRefusal('InvalidInput', 'Duplicate tag keys found')
  const all = new Map([...user.tags, ...keys.map((key, at): [string, string] => [key, values[at] ?? ''])])
  if (all.size > MAX_TAGS) throw new AwsRefusal('LimitExceeded', `Cannot exceed quota for TagsPerUser: ${MAX_TAGS}`)
  for (const [key, value] of all) user.tags.set(key, value)
}

function boundaryOf(world: FakeCloudWorld, arn: string | undefined): string | undefined {
  if (arn === undefined || world.hasPolicy(arn)) return arn
  throw new AwsRefusal('NoSuchEntity', `Scope ARN: ${arn} does not exist or is not attachable.`)
}

export const IAM_USERS: Readonly<Record<string, CloudAction>> = {
  GetUser({ world, caller, params }) {
    const name = optional(params, 'UserName')
    if (name !== undefined) return { User: userAnswer(world.user(name)) }
    if (caller.user) return { User: userAnswer(caller.user) }
    throw validation('Must specify userName when calling with non-User credentials')
  },
  CreateUser({ world, params }) {
    const name = required(params, 'UserName')
    const path = optional(params, 'Path') ?? '/'
    const boundary = boundaryOf(world, optional(params, 'PermissionsBoundary'))
    if (world.isTaken(name)) throw new AwsRefusal('EntityAlreadyExists', `User with name ${name} already exists.`)
    return { User: userAnswer(world.addUser(name, { path, permissionsBoundary: boundary })) }
  },
  DeleteUser({ world, params }) {
    const user = world.user(required(params, 'UserName'))
    if (isInUse(user)) throw new AwsRefusal('DeleteConflict', 'Cannot delete entity, must remove what it has first.')
    world.removeUser(user)
    return {}
  },
  TagUser({ world, params }) {
    const user = world.user(required(params, 'UserName'))
    putTags(user, members(params, 'Tags', '.Key'), members(params, 'Tags', '.Value'))
    return {}
  },
  AddUserToGroup({ world, params }) {
    const group = required(params, 'GroupName')
    const user = world.user(required(params, 'UserName'))
    world.group(group)
    user.groups.add(group)
    return {}
  },
  RemoveUserFromGroup({ world, params }) {
    const group = required(params, 'GroupName')
    const user = world.user(required(params, 'UserName'))
    world.group(group)
    if (!user.groups.delete(group)) throw new AwsRefusal('NoSuchEntity', `The user is not in the group ${group}.`)
    return {}
  },
  ListGroupsForUser({ world, params, pageLimit }) {
    const { groups } = world.user(required(params, 'UserName'))
    const all = [...groups].map((name) => ({
      Path: '/',
      GroupName: name,
      GroupId: 'AGPAIIIIIIIIIIIIIIIII',
      Arn: `arn:aws:iam::${world.account}:group/${name}`,
      CreateDate: dateText(0),
    }))
    return page(params, 'Groups', all, pageLimit)
  },
}
