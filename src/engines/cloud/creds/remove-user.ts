/**
 * Takes a user away, with all that it has (order of calls: behaviour of the originals).
 */
import { KernelError } from '../../../core/base/errors.ts'
import { RevokeLater } from '../../../core/contract/lease-handler.ts'
import { type CallCloud, CloudError, callCloudBounded } from '../cloud-calls.ts'
import { type ClassifiedCloudFailure, isCloudRefusal } from '../failures.ts'
import { type RemovalContext, RemovalThrottle } from './removal-throttle.ts'

/** `absent`: the cloud knows of no such user, or does not know of it yet. */
export type Removal = 'removed' | 'absent'

const reasonOf = (thrown: unknown): ClassifiedCloudFailure['reason'] | undefined =>
  thrown instanceof CloudError ? thrown.failure.reason : undefined

/** The inline policy of a user that could not be removed: it denies everything, whatever else the user has. */
const REVOKED_POLICY = 'strongroom-revoked'
const DENY_ALL = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Deny', Action: '*', Resource: '*' }],
})

/**
 * May be asked any number of times. If the cloud refuses a step, the user is denied everything and its keys are made inactive.
 * @throws CloudError, with what is done staying done.
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
    // A denial of an earlier attempt goes last.
    for (const policyName of policies.filter((name) => name !== REVOKED_POLICY))
      await ignoreMissing(cloud('deleteUserPolicy', { ...of, policyName }))
    for (const groupName of groups) await ignoreMissing(cloud('removeUserFromGroup', { ...of, groupName }))
    if (policies.includes(REVOKED_POLICY)) await ignoreMissing(cloud('deleteUserPolicy', { ...of, policyName: REVOKED_POLICY }))
    await deleteUser(cloud, userName)
    return 'removed'
  } catch (thrown) {
    if (reasonOf(thrown) === 'not-found') return 'absent'
    if (thrown instanceof CloudError && isCloudRefusal(thrown.failure) && thrown.failure.reason !== 'throttled')
      await disableUser(cloud, userName)
    throw thrown
  }
}

/** Takes away what can be taken, call by call: one that is refused keeps no other from being made. */
async function disableUser(cloud: CallCloud, userName: string): Promise<void> {
  const tolerating = async <T>(asked: Promise<T>): Promise<T | undefined> => {
    try {
      return await asked
    } catch (thrown) {
      if (thrown instanceof CloudError && isCloudRefusal(thrown.failure)) return undefined
      throw thrown
    }
  }
  await tolerating(cloud('putUserPolicy', { userName, policyName: REVOKED_POLICY, policyDocument: DENY_ALL }))
  for (const { accessKeyId } of (await tolerating(cloud('listAccessKeys', { userName }))) ?? [])
    await tolerating(cloud('updateAccessKey', { userName, accessKeyId, status: 'Inactive' }))
}

/** Others may be at it, too, and of what was asked before the reply may have been lost. */
async function ignoreMissing(asked: Promise<void>): Promise<void> {
  try {
    await asked
  } catch (thrown) {
    if (reasonOf(thrown) !== 'not-found') throw thrown
  }
}

async function deleteUser(cloud: CallCloud, userName: string): Promise<void> {
  try {
    return await deleteWithRetry(cloud, userName)
  } catch (thrown) {
    if (reasonOf(thrown) !== 'delete-conflict') throw thrown
  }
  // What nobody here has given it (hashicorp/vault#16685); asked for only now, since ordinary rights do not allow it.
  await cloud('deleteUserExtras', { userName })
  await deleteWithRetry(cloud, userName)
}

/** Where the reply was lost, a user that is not there any more was deleted by that very request. */
async function deleteWithRetry(cloud: CallCloud, userName: string): Promise<void> {
  try {
    await cloud('deleteUser', { userName })
  } catch (thrown) {
    if (!(thrown instanceof CloudError) || isCloudRefusal(thrown.failure)) throw thrown
    await ignoreMissing(cloud('deleteUser', { userName }))
  }
}

/** Milliseconds after which a user that the cloud does not know is none that it does not know yet. */
const PROPAGATION_MS = 300_000

/** Milliseconds. */
const RECHECK_MS = 30_000

export interface UserRemoval extends RemovalContext {
  readonly userName: string
  /** Milliseconds: when it was made. */
  readonly since: number
  /** Ends it earlier than its own time does. */
  readonly signal?: AbortSignal
}

/** @throws KernelError 502; RevokeLater where it is not the user that stands in the way. */
export async function removeUserThrottled(removed: UserRemoval): Promise<void> {
  const { env, mount, root, userName, since, signal } = removed
  const pace = RemovalThrottle.of(removed)
  const removal = await pace.remove(removed, () =>
    callCloudBounded(env, mount, root, (cloud) => removeUser(withThrottleRetries(cloud, pace), userName), signal).catch(
      (thrown) => {
        throw kernelErrorFor(thrown, removed, pace)
      },
    ),
  )
  if (removal === 'absent') assertPropagated(since, env.deadline.now())
}

/** A user that is gone (hashicorp/vault#5190) is no failure, but one that was just made may not be known everywhere yet. */
function assertPropagated(since: number, now: number): void {
  const left = since + PROPAGATION_MS - now
  if (left > 0) throw new RevokeLater(Math.min(left, RECHECK_MS), 'the cloud does not know the user, or not yet')
}

function kernelErrorFor(thrown: unknown, { env, tick }: RemovalContext, pace: RemovalThrottle): KernelError {
  if (thrown instanceof KernelError) return thrown
  if (!(thrown instanceof CloudError)) return new KernelError('ERR_UPSTREAM', 'the user could not be removed', { cause: thrown })
  const { failure, refusal } = thrown
  if (failure.reason === 'throttled') return new RevokeLater(pace.pauseBackground(env), refusal.message, thrown)
  if (failure.reason !== 'timeout') return refusal
  if (pace.isSlow) return new RevokeLater(RECHECK_MS, refusal.message, thrown)
  pace.markUnresponsive(tick)
  return refusal
}

/** How often one call is asked again at once: what has been done so far need not be looked up anew then. */
const MAX_RETRIES = 3

/** The same calls; one that is throttled makes fewer of them go side by side, and is asked again. */
const withThrottleRetries = (cloud: CallCloud, pace: RemovalThrottle): CallCloud =>
  ((method: 'deleteUser', request: { readonly userName: string }) =>
    pace.call(async () => {
      for (let repeats = 0; ; repeats++) {
        try {
          return await cloud(method, request)
        } catch (thrown) {
          if (reasonOf(thrown) !== 'throttled') throw thrown
          pace.slowDown()
          if (repeats >= MAX_RETRIES) throw thrown
        }
      }
    })) as CallCloud
