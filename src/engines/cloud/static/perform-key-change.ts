import type { KernelError } from '../../../core/base/errors.ts'
import { type EffectContext, NotApplied, PossiblyApplied } from '../../../core/contract/effect.ts'
import { type CallCloud, callCloudFromEffect } from '../cloud-calls.ts'
import { CloudError, isCloudRefusal, toKernelError, toNotApplied, toPossiblyApplied } from '../failures.ts'
import { createAccessKey, deleteKeys, deleteOrphanedKeys, userExists } from '../keys/change-keys.ts'
import { isRootRotationRunning, keysBusy, type StaticKeyIntent } from '../keys/key-intents.ts'
import { listAccessKeyIds } from '../keys/user-keys.ts'
import type { NewCloudAccessKey } from '../port.ts'
import { CLOUD_STATIC_CREDENTIAL, CLOUD_STATIC_ROLE } from '../records.ts'

/** Makes the cloud calls of a key change. @returns The new key, or undefined for a deletion. */
export const performKeyChange = (intent: StaticKeyIntent, outside: EffectContext): Promise<NewCloudAccessKey | undefined> =>
  callCloudFromEffect<NewCloudAccessKey | undefined>(outside, (cloud) =>
    intent.action === 'delete' ? deleteRoleKey(cloud, intent, outside) : replaceKey(cloud, intent, outside),
  )

async function replaceKey(cloud: CallCloud, intent: StaticKeyIntent, outside: EffectContext): Promise<NewCloudAccessKey> {
  const { user, obsoleteKeys, lender } = intent
  if (lender !== undefined)
    await outside.saveProgress(intent, (tx) => {
      const lent = tx.get(CLOUD_STATIC_CREDENTIAL, lender)
      if (lent) tx.put(CLOUD_STATIC_CREDENTIAL, intent.name, lent)
    })
  try {
    await deleteKeys(cloud, user, obsoleteKeys)
  } catch (thrown) {
    // The key change was not applied, because no key was created. Some keys may have been deleted, but no role returns any of them.
    throw toNotApplied(thrown)
  }
  return createAccessKey(cloud, outside, intent)
}

async function deleteRoleKey(cloud: CallCloud, intent: StaticKeyIntent, outside: EffectContext): Promise<undefined> {
  const { user, obsoleteKeys } = intent
  try {
    await deleteKeys(cloud, user, obsoleteKeys)
  } catch (thrown) {
    if (!(thrown instanceof CloudError)) throw thrown
    const { reason, refusal } = thrown
    if (isCloudRefusal(thrown)) throw new NotApplied(refusal)
    if (reason === 'timeout') throw refusal
    if (await isListed(cloud, intent, refusal)) throw new NotApplied(refusal)
  }
  await deleteOrphanedKeys(cloud, outside, intent).catch((thrown) => {
    throw toPossiblyApplied(thrown)
  })
}

/** Returns whether one of the keys to delete still exists. Used if a deletion has received no answer. */
async function isListed(cloud: CallCloud, { user, obsoleteKeys }: StaticKeyIntent, refusal: KernelError): Promise<boolean> {
  const keys = await listAccessKeyIds(cloud, user).catch(() => {
    throw new PossiblyApplied(refusal)
  })
  return keys.some((key) => obsoleteKeys.includes(key))
}

/** Recovers a key change: deletes orphaned keys, and completes the deletion of a role's key that had begun. */
export const recoverKeyChange = (intent: StaticKeyIntent, outside: EffectContext): Promise<void> =>
  callCloudFromEffect(outside, async (cloud) => {
    const { action, name, user, obsoleteKeys } = intent
    const { ends, isBlocked } = await outside.read((tx) => ({
      ends: action === 'delete' && tx.get(CLOUD_STATIC_ROLE, name)?.ending === true,
      isBlocked: isRootRotationRunning(tx, user.id),
    }))
    if (isBlocked) throw keysBusy()
    if (!(await userExists(cloud, user))) return
    if (ends) await deleteKeys(cloud, user, obsoleteKeys)
    await deleteOrphanedKeys(cloud, outside, intent)
  }).catch((thrown) => {
    throw toKernelError(thrown)
  })
