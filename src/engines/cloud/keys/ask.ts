/**
 * Users and their keys as the cloud knows them, asked while work is prepared.
 */
import { invalid } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { askOnce, type Cloud, CloudError, explained } from '../outside.ts'
import type { CloudAccessKey, CloudUser } from '../port.ts'
import type { User } from './work.ts'

/** As IAM names users: what is none is refused without asking. */
const USER_NAME = /^[\w+=,.@-]{1,64}$/

/** It stands in keys of the store. */
const SAFE_ID = /^[\w-]{1,128}$/

/** An answer that is none: what became of the call nobody knows. */
export const malformed = (step: string): CloudError => new CloudError(step, new TypeError('the answer is none'))

/** @param userName Absent: the user whom the configured key belongs to. @throws CloudError */
export async function getUser(cloud: Cloud, userName?: string): Promise<User> {
  const found: CloudUser | undefined = await cloud('getUser', userName === undefined ? {} : { userName })
  if (typeof found?.userName === 'string' && typeof found.userId === 'string' && SAFE_ID.test(found.userId))
    return { name: found.userName, id: found.userId }
  throw malformed('getUser')
}

/** @throws CloudError */
export async function listKeys(cloud: Cloud, { name: userName }: User): Promise<readonly CloudAccessKey[]> {
  const keys = await cloud('listAccessKeys', { userName })
  if (!Array.isArray(keys)) throw malformed('listAccessKeys')
  return keys
}

/** The user of that name. @throws KernelError 400 where there is none; 502 */
export function userNamed(tx: Tx, name: string): User {
  if (!USER_NAME.test(name)) throw invalid('username: is no name that a user can have')
  const found = askOnce(
    tx,
    'user',
    (cloud) =>
      getUser(cloud, name).catch((thrown) => {
        if (thrown instanceof CloudError && thrown.failure.reason === 'not-found')
          throw invalid('username: the cloud has no user of that name')
        throw explained(thrown)
      }),
    'attempt',
  )
  if (found.name !== name) throw invalid('username: the cloud answered with a user of another name')
  return found
}

/** The user whom the configured key belongs to. @throws KernelError 502 */
export const ownUser = (tx: Tx): User =>
  askOnce(
    tx,
    'user',
    (cloud) =>
      getUser(cloud).catch((thrown) => {
        throw explained(thrown)
      }),
    'attempt',
  )

/** Ids of the keys of a user, the oldest first. @throws KernelError 502 */
export const keysOf = (tx: Tx, user: User): readonly string[] =>
  askOnce(
    tx,
    'keys',
    (cloud) =>
      inOrder(cloud, user).catch((thrown) => {
        throw explained(thrown)
      }),
    'attempt',
  )

/** The same; null where the configured key may not ask. @throws KernelError 502 */
export const keysIfAllowed = (tx: Tx, user: User): readonly string[] | null =>
  askOnce(
    tx,
    'keys',
    (cloud) =>
      inOrder(cloud, user).catch((thrown) => {
        if (thrown instanceof CloudError && thrown.failure.reason === 'access-denied') return null
        throw explained(thrown)
      }),
    'attempt',
  )

/** Clouds list the newest first, and tell dates in whole seconds. */
async function inOrder(cloud: Cloud, user: User): Promise<readonly string[]> {
  const keys = [...(await listKeys(cloud, user))].reverse()
  return keys.sort((a, b) => a.createDate - b.createDate).map(({ accessKeyId }) => accessKeyId)
}
