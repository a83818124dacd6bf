/**
 * Creation and deletion of access keys. If the answer to a creation is lost, the secret of the new key is lost, too, so the key is valid
 * but unusable. Such a key is called orphaned. The engine deletes every orphaned key.
 */
import type { KernelError } from '../../../core/base/errors.ts'
import { type EffectContext, NotApplied, PossiblyApplied } from '../../../core/contract/effect.ts'
import type { CallCloud } from '../cloud-calls.ts'
import { CloudError, ignoreMissing, isCloudRefusal, reasonOf } from '../failures.ts'
import type { NewCloudAccessKey } from '../port.ts'
import type { KeyOwner } from './key-intents.ts'
import { recordedKeys } from './recorded-keys.ts'
import { getUser, listAccessKeyIds } from './user-keys.ts'

/**
 * The keys of a user before the first creation whose answer may have been lost. A key that is neither in `knownKeys` nor in a record is
 * orphaned.
 */
interface KeyBaseline {
  readonly user: KeyOwner
  /** Null if the keys could not be listed, or if no key is created. */
  readonly knownKeys: readonly string[] | null
}

/**
 * Returns whether a user with this name and this id exists. A user that was deleted and created again has another id. @throws CloudError
 */
export async function userExists(cloud: CallCloud, user: KeyOwner): Promise<boolean> {
  try {
    return (await getUser(cloud, user.name)).id === user.id
  } catch (thrown) {
    if (reasonOf(thrown) === 'not-found') return false
    throw thrown
  }
}

/** Deletes keys. A missing key counts as deleted. @throws CloudError */
export async function deleteKeys(cloud: CallCloud, { name: userName }: KeyOwner, keys: readonly string[]): Promise<void> {
  for (const accessKeyId of keys) await ignoreMissing(cloud('deleteAccessKey', { userName, accessKeyId }))
}

/** Deletes orphaned keys. @returns Whether an orphaned key was found. @throws CloudError */
export async function deleteOrphanedKeys(
  cloud: CallCloud,
  { read: look }: EffectContext,
  { user, knownKeys }: KeyBaseline,
): Promise<boolean> {
  if (!knownKeys) return false
  const keys = await listAccessKeyIds(cloud, user)
  const recorded = await look((tx) => recordedKeys(tx, user.id))
  const orphans = keys.filter((key) => !knownKeys.includes(key) && !recorded.has(key))
  await deleteKeys(cloud, user, orphans)
  return orphans.length > 0
}

/**
 * Creates an access key. If the answer is lost, the new key is deleted again.
 * @param full The error if the user already has the maximum number of keys. Default: the cloud's refusal.
 * @throws NotApplied if the user has no new key, PossiblyApplied if the user may have one, or a KernelError 502 if the call may still be in
 * flight.
 */
export async function createAccessKey(
  cloud: CallCloud,
  outside: EffectContext,
  baseline: KeyBaseline,
  full?: KernelError,
): Promise<NewCloudAccessKey> {
  try {
    return await cloud('createAccessKey', { userName: baseline.user.name })
  } catch (thrown) {
    if (!(thrown instanceof CloudError)) throw thrown
    const { reason, refusal } = thrown
    if (isCloudRefusal(thrown)) throw new NotApplied(reason === 'limit-exceeded' && full ? full : refusal)
    if (reason === 'timeout') throw refusal
    throw await deleteOrphanedKeys(cloud, outside, baseline).then(
      (swept) => (swept ? new NotApplied(refusal) : new PossiblyApplied(refusal)),
      () => new PossiblyApplied(refusal),
    )
  }
}
