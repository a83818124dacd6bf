import type { ActionRequest, CloudAction } from './action.ts'
import { dateText, page } from './answer.ts'
import { optional, required, validation } from './params.ts'
import { AwsRefusal } from './refusal.ts'
import type { CloudUserState, FakeCloudKey } from './state.ts'

const MAX_KEYS = 2

/** Returns the user named in the request or, if the request contains no name, the calling user. */
function userOf({ world, caller, params }: ActionRequest): CloudUserState {
  const name = optional(params, 'UserName')
  if (name !== undefined) return world.user(name)
  if (caller.user) return caller.user
  throw validation('Must specify userName when calling with non-User credentials')
}

export const IAM_KEYS: Readonly<Record<string, CloudAction>> = {
  CreateAccessKey(request) {
    const user = userOf(request)
    if (user.keys.length >= MAX_KEYS)
      throw new AwsRefusal('LimitExceeded', `Cannot exceed quota for AccessKeysPerUser: ${MAX_KEYS}`)
    const { accessKeyId, secretAccessKey, createDate } = request.world.addKey(user)
    return {
      AccessKey: {
        UserName: user.userName,
        AccessKeyId: accessKeyId,
        Status: 'Active',
        SecretAccessKey: secretAccessKey,
        CreateDate: dateText(createDate),
      },
    }
  },
  ListAccessKeys(request) {
    const { userName, keys } = userOf(request)
    const all = keys.toReversed().map(({ accessKeyId, createDate, inactive }) => ({
      UserName: userName,
      AccessKeyId: accessKeyId,
      Status: inactive ? 'Inactive' : 'Active',
      CreateDate: dateText(createDate),
    }))
    return page(request.params, 'AccessKeyMetadata', all, request.pageLimit)
  },
  UpdateAccessKey(request) {
    const user = userOf(request)
    const [id, status] = [required(request.params, 'AccessKeyId'), required(request.params, 'Status')]
    const at = user.keys.findIndex(({ accessKeyId }) => accessKeyId === id)
    const { inactive: _, ...key } = user.keys[at] ?? {}
    if (!('accessKeyId' in key)) throw new AwsRefusal('NoSuchEntity', `The Access Key with id ${id} cannot be found.`)
    user.keys[at] = { ...key, ...(status === 'Inactive' && { inactive: true }) } as FakeCloudKey
    return {}
  },
  DeleteAccessKey(request) {
    const id = required(request.params, 'AccessKeyId')
    if (!request.world.removeKey(userOf(request), id))
      throw new AwsRefusal('NoSuchEntity', `The Access Key with id ${id} cannot be found.`)
    return {}
  },
}
