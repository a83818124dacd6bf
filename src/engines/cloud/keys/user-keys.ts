import { invalid, notFound } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { type CallCloud, callCloudInTransaction } from '../cloud-calls.ts'
import { CloudError, reasonOf, toKernelError } from '../failures.ts'
import type { KeyOwner } from './key-intents.ts'

/** Valid IAM user names. A request with any other name is refused before the cloud is called. */
const USER_NAME = /^[\w+=,.@-]{1,64}$/

/** User ids are part of storage keys, so they must be short and plain. */
const USER_ID = /^[\w-]{1,128}$/

/** Returns the user with this name; without `userName`, the user to whom the configured key belongs. @throws CloudError */
export async function getUser(cloud: CallCloud, userName?: string): Promise<KeyOwner> {
  const found = await cloud('getUser', userName === undefined ? {} : { userName })
  if (USER_ID.test(found.userId)) return { name: found.userName, id: found.userId }
  throw new CloudError('getUser', new TypeError('the cloud returned an invalid user id'))
}

/** Returns the ids of a user's keys, the oldest first. @throws CloudError */
export async function listAccessKeyIds(cloud: CallCloud, { name: userName }: KeyOwner): Promise<readonly string[]> {
  // AWS lists the newest key first and returns dates in whole seconds. Reversing the list keeps the order of keys with equal dates.
  const keys = [...(await cloud('listAccessKeys', { userName }))].reverse()
  return keys.sort((a, b) => a.createDate - b.createDate).map(({ accessKeyId }) => accessKeyId)
}

/**
 * Calls the cloud once per attempt of the transaction. After a conflict, calls the cloud again, because the answer decides which keys are
 * deleted and must not be outdated.
 * @throws KernelError 502 if the cloud refuses the call or fails, and every other error of `ask`.
 */
function callOncePerAttempt<T>(tx: Tx, question: string, ask: (cloud: CallCloud) => Promise<T>): T {
  try {
    return callCloudInTransaction(tx, question, ask, 'attempt')
  } catch (thrown) {
    throw toKernelError(thrown)
  }
}

/** Returns the user with this name. @throws KernelError 400 if the user does not exist, 502 if the cloud refuses the call or fails. */
export function requireUser(tx: Tx, name: string): KeyOwner {
  if (!USER_NAME.test(name)) throw invalid('username: must be a valid IAM user name')
  const found = callOncePerAttempt(tx, 'user', (cloud) =>
    getUser(cloud, name).catch((thrown) => {
      throw reasonOf(thrown) === 'not-found' ? notFound('username: the user does not exist in the cloud', 400) : thrown
    }),
  )
  if (found.name !== name) throw invalid('username: the cloud returned a user with another name')
  return found
}

/** Returns the user to whom the configured key belongs. @throws KernelError 502 if the cloud refuses the call or fails. */
export const rootUser = (tx: Tx): KeyOwner => callOncePerAttempt(tx, 'user', (cloud) => getUser(cloud))

/** Returns the ids of a user's keys, the oldest first. @throws KernelError 502 if the cloud refuses the call or fails. */
export const userKeys = (tx: Tx, user: KeyOwner): readonly string[] =>
  callOncePerAttempt(tx, 'keys', (cloud) => listAccessKeyIds(cloud, user))

/**
 * Like {@link userKeys}, but returns null if the configured key does not have the permission to list keys. @throws KernelError 502 if the
 * call fails for another reason.
 */
export const userKeysIfAllowed = (tx: Tx, user: KeyOwner): readonly string[] | null =>
  callOncePerAttempt(tx, 'keys', (cloud) =>
    listAccessKeyIds(cloud, user).catch((thrown) => {
      if (reasonOf(thrown) === 'access-denied') return null
      throw thrown
    }),
  )
