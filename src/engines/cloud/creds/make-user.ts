/**
 * A user is made in the cloud; one whose keys nobody was given is removed.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { effect, NothingDone, type Outside } from '../../../core/contract/effect.ts'
import { type CallCloud, CloudError, callCloudFromEffect, EFFECT_TIMEOUT_MS, requireRoot } from '../cloud-calls.ts'
import { leaseTermsOf } from '../config/lease.ts'
import { isCloudRefusal } from '../failures.ts'
import type { CloudTag, NewCloudAccessKey, NewCloudUser } from '../port.ts'
import type { CloudLeaseData } from './leases.ts'
import { removeUser, removeUserThrottled } from './remove-user.ts'

/** All that it takes to remove it again. */
export interface CloudUserIntent {
  readonly username: string
  readonly role: string
  /** Milliseconds. */
  readonly since: number
}

/** What it is to have, as the role said when it was asked for. */
export interface CloudUserInput {
  readonly user: NewCloudUser
  readonly policyArns: readonly string[]
  /** Its own policy: its name, and JSON; empty: none. */
  readonly policyName: string
  readonly policyDocument: string
  readonly groups: readonly string[]
  readonly tags: readonly CloudTag[]
}

export const MAKE_CLOUD_USER = /* @__PURE__ */ effect({
  name: 'cloud-user',
  timeoutMs: EFFECT_TIMEOUT_MS,
  async perform(_: CloudUserIntent, outside, wish: CloudUserInput) {
    let asked = false
    try {
      return await callCloudFromEffect(outside, (cloud) => {
        asked = true
        return createUserAndKey(cloud, wish)
      })
    } catch (thrown) {
      throw asked || !(thrown instanceof KernelError) ? thrown : new NothingDone(thrown)
    }
  },
  finish(tx, { username, role }, { accessKeyId, secretAccessKey }: NewCloudAccessKey) {
    const data: CloudLeaseData = { credential_type: 'iam_user', role, username }
    const leased = tx.lease({ ...leaseTermsOf(tx), renewable: true, data: { ...data } })
    return { access_key: accessKeyId, secret_key: secretAccessKey, security_token: null, ...leased }
  },
  recover: { perform: removeLeftoverUser, finish: () => {} },
})

/** Calls in the order of the originals. @throws NothingDone where nothing is left of it; else a KernelError 502, and nobody knows. */
async function createUserAndKey(cloud: CallCloud, wish: CloudUserInput): Promise<NewCloudAccessKey> {
  const { userName } = wish.user
  const surely = await createUser(cloud, wish.user)
  try {
    await grantRights(cloud, wish)
    return await createKey(cloud, userName)
  } catch (thrown) {
    const refusal = kernelErrorFor(thrown)
    if ((await isRemoved(cloud, userName)) && surely) throw new NothingDone(refusal)
    throw refusal
  }
}

/** @returns Whether it is known what became of every request: one under way might make the user again after it was removed. */
async function createUser(cloud: CallCloud, user: NewCloudUser): Promise<boolean> {
  try {
    await cloud('createUser', user)
    return true
  } catch (thrown) {
    const refusal = kernelErrorFor(thrown)
    if (isRefused(thrown)) throw new NothingDone(refusal)
    if (isLost(thrown)) await retryCreateUser(cloud, user, refusal)
    // What was answered is no answer: nothing is under way.
    else throw (await isRemoved(cloud, user.userName)) ? new NothingDone(refusal) : refusal
    return false
  }
}

/** The reply was lost: where the user is there already, it is ours. */
async function retryCreateUser(cloud: CallCloud, user: NewCloudUser, lost: KernelError): Promise<void> {
  try {
    await cloud('createUser', user)
  } catch (thrown) {
    if (thrown instanceof CloudError && thrown.failure.reason === 'already-exists') return
    await isRemoved(cloud, user.userName)
    throw lost
  }
}

async function grantRights(
  cloud: CallCloud,
  { user, policyArns, policyName, policyDocument, groups, tags }: CloudUserInput,
): Promise<void> {
  const { userName } = user
  for (const policyArn of policyArns) await cloud('attachUserPolicy', { userName, policyArn })
  if (policyDocument !== '') await cloud('putUserPolicy', { userName, policyName, policyDocument })
  for (const groupName of groups) await cloud('addUserToGroup', { userName, groupName })
  if (tags.length > 0) await cloud('tagUser', { userName, tags })
}

/** Of a key whose reply was lost nobody knows the secret: it goes, and another one is made. */
async function createKey(cloud: CallCloud, userName: string): Promise<NewCloudAccessKey> {
  try {
    return await cloud('createAccessKey', { userName })
  } catch (thrown) {
    if (!isLost(thrown)) throw thrown
    const keys = await cloud('listAccessKeys', { userName })
    for (const { accessKeyId } of keys) await cloud('deleteAccessKey', { userName, accessKeyId })
    return await cloud('createAccessKey', { userName })
  }
}

/** A user that the cloud does not know may be one that it does not know yet. */
async function isRemoved(cloud: CallCloud, userName: string): Promise<boolean> {
  try {
    return (await removeUser(cloud, userName)) === 'removed'
  } catch {
    return false
  }
}

const isRefused = (thrown: unknown): boolean => thrown instanceof CloudError && isCloudRefusal(thrown.failure)

/** Whether there was no answer at all. */
const isLost = (thrown: unknown): boolean =>
  thrown instanceof CloudError && (thrown.failure.reason === 'unavailable' || thrown.failure.reason === 'timeout')

const kernelErrorFor = (thrown: unknown): KernelError =>
  thrown instanceof CloudError ? thrown.refusal : new KernelError('ERR_UPSTREAM', 'the user could not be made', { cause: thrown })

async function removeLeftoverUser(
  { username: userName, since }: CloudUserIntent,
  { env, look, tick, signal }: Outside,
): Promise<void> {
  const { root, mount } = await look((tx) => ({ root: requireRoot(tx), mount: tx.call.mount.uuid }))
  await removeUserThrottled({ env, mount, root, tick, userName, since, signal })
}
