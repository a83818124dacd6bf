/**
 * Making and deleting keys of users, such that none is left of which nobody knows the secret.
 */
import type { KernelError } from '../../../core/base/errors.ts'
import { NothingDone, type Outside, Unsettled } from '../../../core/contract/effect.ts'
import { type CallCloud, CloudError } from '../cloud-calls.ts'
import { isCloudRefusal } from '../failures.ts'
import type { NewCloudAccessKey } from '../port.ts'
import type { KeyOwner } from './key-intents.ts'
import { recordedKeys } from './recorded-keys.ts'
import { getUser, listKeys } from './user-keys.ts'

/** Whose keys, and which of them were made by no call whose reply may have been lost. */
interface KeyBaseline {
  readonly user: KeyOwner
  /** Null: it cannot be told. */
  readonly knownKeys: readonly string[] | null
}

const isMissing = (thrown: unknown): boolean => thrown instanceof CloudError && thrown.failure.reason === 'not-found'

/** Whether a user is still there, and not another one under its name. @throws CloudError */
export async function userExists(cloud: CallCloud, user: KeyOwner): Promise<boolean> {
  try {
    return (await getUser(cloud, user.name)).id === user.id
  } catch (thrown) {
    if (isMissing(thrown)) return false
    throw thrown
  }
}

/** A key that is not there is as good as deleted. @throws CloudError */
export async function deleteKeys(cloud: CallCloud, { name: userName }: KeyOwner, keys: readonly string[]): Promise<void> {
  for (const accessKeyId of keys)
    try {
      await cloud('deleteAccessKey', { userName, accessKeyId })
    } catch (thrown) {
      if (!isMissing(thrown)) throw thrown
    }
}

/** Deletes keys of which nobody knows the secret. @returns Whether there was one. @throws CloudError */
export async function deleteOrphanedKeys(
  cloud: CallCloud,
  { look }: Outside,
  { user, knownKeys }: KeyBaseline,
): Promise<boolean> {
  if (!knownKeys) return false
  const keys = await listKeys(cloud, user)
  const held = await look((tx) => recordedKeys(tx, user.id))
  const strays = keys.filter((key) => !knownKeys.includes(key) && !held.has(key))
  await deleteKeys(cloud, user, strays)
  return strays.length > 0
}

/**
 * Makes a key; one whose reply was lost is deleted again.
 * @param full What is refused where the user has as many keys as it may have. Default: as any other refusal of the cloud.
 * @throws NothingDone where there is none; Unsettled where there may be one; a KernelError 502 where the call may still be on its way.
 */
export async function createAccessKey(
  cloud: CallCloud,
  outside: Outside,
  doubt: KeyBaseline,
  full?: KernelError,
): Promise<NewCloudAccessKey> {
  try {
    return await cloud('createAccessKey', { userName: doubt.user.name })
  } catch (thrown) {
    if (!(thrown instanceof CloudError)) throw thrown
    const { failure, refusal } = thrown
    if (isCloudRefusal(failure)) throw new NothingDone(failure.reason === 'limit-exceeded' && full ? full : refusal)
    if (failure.reason === 'timeout') throw refusal
    throw await deleteOrphanedKeys(cloud, outside, doubt).then(
      (swept) => (swept ? new NothingDone(refusal) : new Unsettled(refusal)),
      () => new Unsettled(refusal),
    )
  }
}
