/**
 * Making and deleting keys of users, such that none is left of which nobody knows the secret.
 */
import type { KernelError } from '../../../core/base/errors.ts'
import { NothingDone, type Outside, Unsettled } from '../../../core/contract/effect.ts'
import { isRefusal } from '../failures.ts'
import { type Cloud, CloudError } from '../outside.ts'
import type { NewCloudAccessKey } from '../port.ts'
import { getUser, listKeys } from './ask.ts'
import { heldKeys } from './held.ts'
import type { User } from './work.ts'

/** Whose keys, and which of them were made by no call whose reply may have been lost. */
interface Doubt {
  readonly user: User
  /** Null: it cannot be told. */
  readonly known: readonly string[] | null
}

const isGone = (thrown: unknown): boolean => thrown instanceof CloudError && thrown.failure.reason === 'not-found'

/** Whether a user is still there, and not another one under its name. @throws CloudError */
export async function isThere(cloud: Cloud, user: User): Promise<boolean> {
  try {
    return (await getUser(cloud, user.name)).id === user.id
  } catch (thrown) {
    if (isGone(thrown)) return false
    throw thrown
  }
}

/** A key that is not there is as good as deleted. @throws CloudError */
export async function deleteKeys(cloud: Cloud, { name: userName }: User, keys: readonly string[]): Promise<void> {
  for (const accessKeyId of keys)
    try {
      await cloud('deleteAccessKey', { userName, accessKeyId })
    } catch (thrown) {
      if (!isGone(thrown)) throw thrown
    }
}

/** Deletes keys of which nobody knows the secret. @returns Whether there was one. @throws CloudError */
export async function sweep(cloud: Cloud, { look }: Outside, { user, known }: Doubt): Promise<boolean> {
  if (!known) return false
  const keys = await listKeys(cloud, user)
  const held = await look((tx) => heldKeys(tx, user.id))
  const strays = keys.filter((key) => !known.includes(key) && !held.has(key))
  await deleteKeys(cloud, user, strays)
  return strays.length > 0
}

/**
 * Makes a key; one whose reply was lost is deleted again.
 * @param full What is refused where the user has as many keys as it may have. Default: as any other refusal of the cloud.
 * @throws NothingDone where there is none; Unsettled where there may be one; a KernelError 502 where the call may still be on its way.
 */
export async function makeKey(cloud: Cloud, outside: Outside, doubt: Doubt, full?: KernelError): Promise<NewCloudAccessKey> {
  try {
    return await cloud('createAccessKey', { userName: doubt.user.name })
  } catch (thrown) {
    if (!(thrown instanceof CloudError)) throw thrown
    const { failure, refusal } = thrown
    if (isRefusal(failure)) throw new NothingDone(failure.reason === 'limit-exceeded' && full ? full : refusal)
    if (failure.reason === 'timeout') throw refusal
    throw await sweep(cloud, outside, doubt).then(
      (swept) => (swept ? new NothingDone(refusal) : new Unsettled(refusal)),
      () => new Unsettled(refusal),
    )
  }
}
