/**
 * Users and their keys as the cloud knows them, asked while work is prepared.
 */
import { invalid, notFound } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { type CallCloud, CloudError, callCloudInTransaction, toKernelError } from '../cloud-calls.ts'
import type { KeyOwner } from './key-intents.ts'

/** As IAM names users: what is none is refused without asking. */
const USER_NAME = /^[\w+=,.@-]{1,64}$/

/** It stands in keys of the store. */
const USER_ID = /^[\w-]{1,128}$/

/** @param userName Absent: the user whom the configured key belongs to. @throws CloudError */
export async function getUser(cloud: CallCloud, userName?: string): Promise<KeyOwner> {
  const found = await cloud('getUser', userName === undefined ? {} : { userName })
  if (USER_ID.test(found.userId)) return { name: found.userName, id: found.userId }
  throw new CloudError('getUser', new TypeError('the id of a user is none'))
}

/** Ids of the keys of a user, the oldest first. @throws CloudError */
export async function listKeys(cloud: CallCloud, { name: userName }: KeyOwner): Promise<readonly string[]> {
  // Clouds list the newest first, and tell dates in whole seconds.
  const keys = [...(await cloud('listAccessKeys', { userName }))].reverse()
  return keys.sort((a, b) => a.createDate - b.createDate).map(({ accessKeyId }) => accessKeyId)
}

/**
 * Asks once an attempt, for what it answers decides what is done.
 * @throws KernelError 502; what `ask` throws.
 */
function callOncePerAttempt<T>(tx: Tx, question: string, ask: (cloud: CallCloud) => Promise<T>): T {
  try {
    return callCloudInTransaction(tx, question, ask, 'attempt')
  } catch (thrown) {
    throw toKernelError(thrown)
  }
}

const hasReason = (thrown: unknown, reason: CloudError['failure']['reason']): boolean =>
  thrown instanceof CloudError && thrown.failure.reason === reason

/** The user of that name. @throws KernelError 400 where there is none; 502 */
export function requireUser(tx: Tx, name: string): KeyOwner {
  if (!USER_NAME.test(name)) throw invalid('username: is no name that a user can have')
  const found = callOncePerAttempt(tx, 'user', (cloud) =>
    getUser(cloud, name).catch((thrown) => {
      throw hasReason(thrown, 'not-found') ? notFound('username: the cloud has no user of that name', 400) : thrown
    }),
  )
  if (found.name !== name) throw invalid('username: the cloud answered with a user of another name')
  return found
}

/** The user whom the configured key belongs to. @throws KernelError 502 */
export const rootUser = (tx: Tx): KeyOwner => callOncePerAttempt(tx, 'user', (cloud) => getUser(cloud))

/** Ids of the keys of a user, the oldest first. @throws KernelError 502 */
export const userKeys = (tx: Tx, user: KeyOwner): readonly string[] =>
  callOncePerAttempt(tx, 'keys', (cloud) => listKeys(cloud, user))

/** The same; null where the configured key may not ask. @throws KernelError 502 */
export const userKeysIfAllowed = (tx: Tx, user: KeyOwner): readonly string[] | null =>
  callOncePerAttempt(tx, 'keys', (cloud) =>
    listKeys(cloud, user).catch((thrown) => {
      if (hasReason(thrown, 'access-denied')) return null
      throw thrown
    }),
  )
