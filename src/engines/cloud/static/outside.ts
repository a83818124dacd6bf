/**
 * What static roles do outside of the store, and how it is put in order after a process that died or a reply that was lost.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { NothingDone, type Outside, Unsettled } from '../../../core/contract/effect.ts'
import { isRefusal } from '../failures.ts'
import { listKeys } from '../keys/ask.ts'
import { deleteKeys, isThere, makeKey, sweep } from '../keys/change.ts'
import { busy, isRootAtWork, type StaticWork } from '../keys/work.ts'
import { askOutside, type Cloud, CloudError, explained } from '../outside.ts'
import type { NewCloudAccessKey } from '../port.ts'
import { STATIC_CREDENTIAL, STATIC_ROLE } from '../records.ts'

/** @returns The new key; none of a deletion. */
export async function carryOut(intent: StaticWork, outside: Outside): Promise<NewCloudAccessKey | undefined> {
  let asked = false
  try {
    return await askOutside(outside, (cloud) => {
      asked = true
      return intent.does === 'delete' ? remove(cloud, intent, outside) : replace(cloud, intent, outside)
    })
  } catch (thrown) {
    throw !asked && thrown instanceof KernelError ? new NothingDone(thrown) : thrown
  }
}

async function replace(cloud: Cloud, intent: StaticWork, outside: Outside): Promise<NewCloudAccessKey> {
  const { user, goes, lender } = intent
  if (lender !== undefined)
    await outside.advance(intent, (tx) => {
      const lent = tx.get(STATIC_CREDENTIAL, lender)
      if (lent) tx.put(STATIC_CREDENTIAL, intent.name, lent)
    })
  try {
    await deleteKeys(cloud, user, goes)
  } catch (thrown) {
    // No role hands out one of these any more, and nothing was made.
    throw thrown instanceof CloudError ? new NothingDone(thrown.refusal) : thrown
  }
  return makeKey(cloud, outside, intent)
}

async function remove(cloud: Cloud, intent: StaticWork, outside: Outside): Promise<undefined> {
  const { user, goes } = intent
  try {
    await deleteKeys(cloud, user, goes)
  } catch (thrown) {
    if (!(thrown instanceof CloudError)) throw thrown
    const { failure, refusal } = thrown
    if (isRefusal(failure)) throw new NothingDone(refusal)
    if (failure.reason === 'timeout') throw refusal
    if (await isListed(cloud, intent, refusal)) throw new NothingDone(refusal)
  }
  await sweep(cloud, outside, intent).catch((thrown) => {
    throw thrown instanceof CloudError ? new Unsettled(thrown.refusal) : thrown
  })
}

/** Whether a key is still there whose deletion had no reply. */
async function isListed(cloud: Cloud, { user, goes }: StaticWork, refusal: KernelError): Promise<boolean> {
  const keys = await listKeys(cloud, user).catch(() => {
    throw new Unsettled(refusal)
  })
  return keys.some((key) => goes.includes(key))
}

/** Nobody is told of a key that such work has made: it is deleted. A deletion that was begun is ended. */
export const tidy = (intent: StaticWork, outside: Outside): Promise<void> =>
  askOutside(outside, async (cloud) => {
    const { does, name, user, goes } = intent
    const { ends, waits } = await outside.look((tx) => ({
      ends: does === 'delete' && tx.get(STATIC_ROLE, name)?.ending === true,
      waits: isRootAtWork(tx, user.id),
    }))
    if (waits) throw busy()
    try {
      if (!(await isThere(cloud, user))) return
      if (ends) await deleteKeys(cloud, user, goes)
      await sweep(cloud, outside, intent)
    } catch (thrown) {
      throw explained(thrown)
    }
  })
