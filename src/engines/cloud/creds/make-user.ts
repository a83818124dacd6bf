import { KernelError } from '../../../core/base/errors.ts'
import { type EffectContext, effect, NotApplied } from '../../../core/contract/effect.ts'
import { type CallCloud, callCloudFromEffect, EFFECT_TIMEOUT_MS, requireRoot } from '../cloud-calls.ts'
import { leaseTermsOf } from '../config/lease.ts'
import { CloudError, isCloudRefusal, reasonOf } from '../failures.ts'
import type { CloudTag, NewCloudAccessKey, NewCloudUser } from '../port.ts'
import type { CloudLeaseData } from './leases.ts'
import { removeUser, removeUserThrottled } from './remove-user.ts'

/** The stored intent: the data that recovery needs to remove the user. */
export interface CloudUserIntent {
  readonly username: string
  readonly role: string
  /** The time of the request, in milliseconds since the Unix epoch. */
  readonly since: number
}

/** The settings of the new user, from the role at the time of the request. */
export interface CloudUserInput {
  readonly user: NewCloudUser
  readonly policyArns: readonly string[]
  /** The name of the inline policy. */
  readonly policyName: string
  /** The inline policy as JSON. Empty if there is no inline policy. */
  readonly policyDocument: string
  readonly groups: readonly string[]
  readonly tags: readonly CloudTag[]
}

export const MAKE_CLOUD_USER = /* @__PURE__ */ effect({
  name: 'cloud-user',
  timeoutMs: EFFECT_TIMEOUT_MS,
  perform: (_: CloudUserIntent, outside, input: CloudUserInput) =>
    callCloudFromEffect(outside, (cloud) => createUserAndKey(cloud, input)),
  finish(tx, { username, role }, { accessKeyId, secretAccessKey }: NewCloudAccessKey) {
    const data: CloudLeaseData = { credential_type: 'iam_user', role, username }
    const leased = tx.lease({ ...leaseTermsOf(tx), renewable: true, data: { ...data } })
    return { access_key: accessKeyId, secret_key: secretAccessKey, security_token: null, ...leased }
  },
  recover: { perform: removeLeftoverUser, finish: () => {} },
})

/**
 * Creates the user with its policies, groups and key, in Vault's order of calls.
 * @throws NotApplied if a call failed and the user does not exist; KernelError 502 if a call failed and the user may exist.
 */
async function createUserAndKey(cloud: CallCloud, input: CloudUserInput): Promise<NewCloudAccessKey> {
  const { userName } = input.user
  const isCertain = await createUser(cloud, input.user)
  try {
    await grantRights(cloud, input)
    return await createKey(cloud, userName)
  } catch (thrown) {
    const refusal = kernelErrorFor(thrown)
    if ((await isRemoved(cloud, userName)) && isCertain) throw new NotApplied(refusal)
    throw refusal
  }
}

/**
 * @returns Whether the answer to every request was received. If an answer was lost, its request may still be in flight, and could create
 * the user again after the user was removed.
 */
async function createUser(cloud: CallCloud, user: NewCloudUser): Promise<boolean> {
  try {
    await cloud('createUser', user)
    return true
  } catch (thrown) {
    const refusal = kernelErrorFor(thrown)
    if (isCloudRefusal(thrown)) throw new NotApplied(refusal)
    if (isLost(thrown)) await retryCreateUser(cloud, user, refusal)
    // The cloud sent an invalid answer. So the user may exist, but no request is in flight.
    else throw (await isRemoved(cloud, user.userName)) ? new NotApplied(refusal) : refusal
    return false
  }
}

/** Repeats a request whose answer was lost. If the cloud reports that the user exists, the first request has created the user. */
async function retryCreateUser(cloud: CallCloud, user: NewCloudUser, lost: KernelError): Promise<void> {
  try {
    await cloud('createUser', user)
  } catch (thrown) {
    if (reasonOf(thrown) === 'already-exists') return
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

/**
 * Creates an access key. If the answer is lost, a key whose secret is unknown may exist; then deletes all keys of the user and creates
 * another key.
 */
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

/**
 * Removes the user, and returns whether the user is certainly gone. Returns false even if the cloud does not find the user, because a new
 * user may not be visible yet.
 */
async function isRemoved(cloud: CallCloud, userName: string): Promise<boolean> {
  try {
    return (await removeUser(cloud, userName)) === 'removed'
  } catch {
    return false
  }
}

/** Whether the cloud did not answer, so that the call may have taken effect. */
const isLost = (thrown: unknown): boolean => reasonOf(thrown) === 'unavailable' || reasonOf(thrown) === 'timeout'

const kernelErrorFor = (thrown: unknown): KernelError =>
  thrown instanceof CloudError
    ? thrown.refusal
    : new KernelError('ERR_UPSTREAM', 'the user could not be created', { cause: thrown })

async function removeLeftoverUser(
  { username: userName, since }: CloudUserIntent,
  { env, read: look, tick, signal }: EffectContext,
): Promise<void> {
  const { root, mount } = await look((tx) => ({ root: requireRoot(tx), mount: tx.call.mount.uuid }))
  await removeUserThrottled({ env, mount, root, tick, userName, since, signal })
}
