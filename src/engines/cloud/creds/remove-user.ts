import { KernelError } from '../../../core/base/errors.ts'
import { RevokeLater } from '../../../core/contract/lease-handler.ts'
import { type CallCloud, callCloudBounded } from '../cloud-calls.ts'
import { CloudError, ignoreMissing, isCloudRefusal, reasonOf } from '../failures.ts'
import { type RemovalContext, RemovalThrottle } from './removal-throttle.ts'

/** `absent` means that the cloud does not find the user. The user may have been deleted, or it is new and not visible yet. */
export type Removal = 'removed' | 'absent'

/** The inline policy of a user that could not be removed. It denies everything and takes precedence over all other policies. */
const REVOKED_POLICY = 'strongroom-revoked'
const DENY_ALL = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Deny', Action: '*', Resource: '*' }],
})

/**
 * Removes a user with its keys, policies and group memberships, in Vault's order of calls. Idempotent. If the cloud refuses a call, the user gets a
 * policy that denies everything, and its keys are made inactive.
 * @throws CloudError if a call fails. Some of the calls may have taken effect.
 */
export async function removeUser(cloud: CallCloud, userName: string): Promise<Removal> {
  const of = { userName }
  try {
    const groups = await cloud('listGroupsForUser', of)
    const policies = await cloud('listUserPolicies', of)
    const attached = await cloud('listAttachedUserPolicies', of)
    const keys = await cloud('listAccessKeys', of)
    for (const { accessKeyId } of keys) await ignoreMissing(cloud('deleteAccessKey', { ...of, accessKeyId }))
    for (const policyArn of attached) await ignoreMissing(cloud('detachUserPolicy', { ...of, policyArn }))
    // An earlier attempt may have added the policy that denies everything. Delete that policy last.
    for (const policyName of policies.filter((name) => name !== REVOKED_POLICY))
      await ignoreMissing(cloud('deleteUserPolicy', { ...of, policyName }))
    for (const groupName of groups) await ignoreMissing(cloud('removeUserFromGroup', { ...of, groupName }))
    if (policies.includes(REVOKED_POLICY)) await ignoreMissing(cloud('deleteUserPolicy', { ...of, policyName: REVOKED_POLICY }))
    await deleteUser(cloud, userName)
    return 'removed'
  } catch (thrown) {
    if (reasonOf(thrown) === 'not-found') return 'absent'
    if (isCloudRefusal(thrown) && thrown.reason !== 'throttled') await disableUser(cloud, userName)
    throw thrown
  }
}

/** Denies everything to a user and makes its keys inactive. If one call is refused, the other calls are still made. */
async function disableUser(cloud: CallCloud, userName: string): Promise<void> {
  const tolerating = <T>(asked: Promise<T>): Promise<T | undefined> =>
    asked.catch((thrown) => {
      if (!isCloudRefusal(thrown)) throw thrown
      return undefined
    })
  await tolerating(cloud('putUserPolicy', { userName, policyName: REVOKED_POLICY, policyDocument: DENY_ALL }))
  for (const { accessKeyId } of (await tolerating(cloud('listAccessKeys', { userName }))) ?? [])
    await tolerating(cloud('updateAccessKey', { userName, accessKeyId, status: 'Inactive' }))
}

async function deleteUser(cloud: CallCloud, userName: string): Promise<void> {
  try {
    return await deleteWithRetry(cloud, userName)
  } catch (thrown) {
    if (reasonOf(thrown) !== 'delete-conflict') throw thrown
  }
  // Another object is attached to the user, such as an MFA device (hashicorp/vault#16685). Such objects are deleted only if necessary,
  // because deleting them needs additional permissions.
  await cloud('deleteUserExtras', { userName })
  await deleteWithRetry(cloud, userName)
}

/** Deletes a user, and tries again if the answer was lost. If the second call does not find the user, the first call has deleted it. */
async function deleteWithRetry(cloud: CallCloud, userName: string): Promise<void> {
  try {
    await cloud('deleteUser', { userName })
  } catch (thrown) {
    if (!(thrown instanceof CloudError) || isCloudRefusal(thrown)) throw thrown
    await ignoreMissing(cloud('deleteUser', { userName }))
  }
}

/** The time in milliseconds after which a new user is visible everywhere. After that, `not-found` means that the user does not exist. */
const PROPAGATION_MS = 300_000

const RECHECK_MS = 30_000

export interface UserRemoval extends RemovalContext {
  readonly userName: string
  /** When the user was created, in milliseconds since the Unix epoch. */
  readonly since: number
  /** A signal that ends the removal before its timeout. */
  readonly signal?: AbortSignal
}

/**
 * Removes a user under the limits of the mount's {@link RemovalThrottle}.
 * @throws KernelError 502 if the removal fails. RevokeLater if the cause does not concern this user, for example throttling: then the
 * attempt does not count as failed.
 */
export async function removeUserThrottled(removed: UserRemoval): Promise<void> {
  const { env, mount, root, userName, since, signal } = removed
  const throttle = RemovalThrottle.of(removed)
  const removal = await throttle.remove(removed, () =>
    callCloudBounded(env, mount, root, (cloud) => removeUser(withThrottleRetries(cloud, throttle), userName), signal).catch(
      (thrown) => {
        throw kernelErrorFor(thrown, removed, throttle)
      },
    ),
  )
  if (removal === 'absent') assertPropagated(since, env.deadline.now())
}

/** Throws if a missing user is so new that it may not be visible yet. Otherwise a missing user counts as removed (hashicorp/vault#5190). */
function assertPropagated(since: number, now: number): void {
  const left = since + PROPAGATION_MS - now
  if (left > 0)
    throw new RevokeLater(
      Math.min(left, RECHECK_MS),
      'the cloud does not find the user, possibly because the user was created so recently that it is not visible yet',
    )
}

function kernelErrorFor(thrown: unknown, { env, tick }: RemovalContext, throttle: RemovalThrottle): KernelError {
  if (thrown instanceof KernelError) return thrown
  if (!(thrown instanceof CloudError)) return new KernelError('ERR_UPSTREAM', 'the user could not be removed', { cause: thrown })
  const { reason, refusal } = thrown
  if (reason === 'throttled') return new RevokeLater(throttle.pauseBackground(env), refusal.message, thrown)
  if (reason !== 'timeout') return refusal
  if (throttle.isSlow) return new RevokeLater(RECHECK_MS, refusal.message, thrown)
  throttle.markUnresponsive(tick)
  return refusal
}

/** How often a throttled call is retried immediately. A retry costs less than starting the whole removal again. */
const MAX_RETRIES = 3

/** Wraps the calls of a removal: a throttled call reduces the concurrency and is retried. */
const withThrottleRetries = (cloud: CallCloud, throttle: RemovalThrottle): CallCloud =>
  ((method: 'deleteUser', request: { readonly userName: string }) =>
    throttle.call(async () => {
      for (let repeats = 0; ; repeats++) {
        try {
          return await cloud(method, request)
        } catch (thrown) {
          if (reasonOf(thrown) !== 'throttled') throw thrown
          throttle.slowDown()
          if (repeats >= MAX_RETRIES) throw thrown
        }
      }
    })) as CallCloud
