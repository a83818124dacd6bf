/**
 * Asking the cloud: every call is bounded, and fails with what the kernel may say of it.
 */
import { combinedSignal } from '../../core/base/combined-signal.ts'
import { NoAnswer } from '../../core/base/deadline.ts'
import { type KernelError, notConfigured } from '../../core/base/errors.ts'
import type { Outside } from '../../core/contract/effect.ts'
import type { Environment, Lasts, Tx } from '../../core/contract/tx.ts'
import { assertCredentialsUsable } from './ambient.ts'
import { type CloudMethod, isValidAnswer } from './answers.ts'
import { CloudClients } from './clients.ts'
import { type ClassifiedCloudFailure, classifyCloudFailure, cloudKernelError } from './failures.ts'
import type { CloudClient, NewCloudAccessKey } from './port.ts'
import { ROOT, ROOT_NAME, type RootConfig } from './records.ts'

/** Milliseconds for all calls of one effect. */
export const EFFECT_TIMEOUT_MS = 30_000

/** A call of the cloud that failed. */
export class CloudError extends Error {
  override readonly name = 'CloudError'
  readonly failure: ClassifiedCloudFailure
  /** What is answered: 502. */
  readonly refusal: KernelError

  constructor(step: string, cause: unknown) {
    const failure = classifyCloudFailure(cause)
    const refusal = cloudKernelError(failure, step)
    super(refusal.message, { cause })
    this.failure = failure
    this.refusal = refusal
  }
}

/** What is answered in place of something thrown. */
export const toKernelError = (thrown: unknown): unknown => (thrown instanceof CloudError ? thrown.refusal : thrown)

/** Makes one call of the client. @throws CloudError */
export type CallCloud = <M extends CloudMethod>(method: M, request: Parameters<CloudClient[M]>[0]) => ReturnType<CloudClient[M]>

/** A key that comes when nobody waits for it any more: nobody would know its secret. */
async function deleteLateKey(
  client: CloudClient,
  { userName }: { readonly userName: string },
  came: unknown,
  closing: AbortSignal,
): Promise<void> {
  if (!isValidAnswer('createAccessKey', came)) return
  const { accessKeyId } = came as NewCloudAccessKey
  await client.deleteAccessKey({ userName, accessKeyId }, closing)
}

/** What an answer counts as that is none. */
const MALFORMED_ANSWER = { reason: 'unknown' }

/** The calls of a client; each ends with `signal`, which has a deadline of its own. */
export const boundedCalls = ({ deadline, closing }: Environment, client: CloudClient, signal?: AbortSignal): CallCloud =>
  (async (method: CloudMethod, request: never) => {
    let answer: unknown
    try {
      answer = await deadline.ask<unknown>({
        what: `ports.cloud ${method}`,
        ask: (own) => {
          signal?.throwIfAborted()
          return client[method](request, signal ? combinedSignal(own, signal) : own)
        },
        late: (came) => method === 'createAccessKey' && deleteLateKey(client, request, came, closing),
      })
    } catch (thrown) {
      throw new CloudError(method, thrown)
    }
    if (!isValidAnswer(method, answer)) throw new CloudError(method, MALFORMED_ANSWER)
    return answer
  }) as CallCloud

/**
 * For `perform`: asks by the root configuration as it is now.
 * @throws KernelError 400 without a configuration; what `ask` throws.
 */
export async function callCloudFromEffect<T>(
  { env, signal, look }: Outside,
  ask: (cloud: CallCloud, root: RootConfig) => Promise<T>,
): Promise<T> {
  const { root, mount } = await look((tx) => ({ root: requireRoot(tx), mount: tx.call.mount.uuid }))
  return CloudClients.of(env).use(mount, root, (client) => ask(boundedCalls(env, client, signal), root))
}

/**
 * For what needs no intent: waits within the transaction, for all calls together no longer than an effect.
 * @param once Names the question among those of one transaction.
 * @param lasts `attempt`: it is asked again after a conflict.
 * @throws KernelError 400 without a configuration; CloudError at the end of the time; what `ask` throws.
 */
export function callCloudInTransaction<T>(tx: Tx, once: string, ask: (cloud: CallCloud) => Promise<T>, lasts?: Lasts): T {
  const root = requireRoot(tx)
  const { env } = tx
  const { mount } = tx.call
  return tx.once(once, () => callCloudBounded(env, mount.uuid, root, ask), lasts)
}

/**
 * @param over Ends it earlier.
 * @throws CloudError at the end of the time of an effect; what `ask` throws.
 */
export async function callCloudBounded<T>(
  env: Environment,
  mount: string,
  root: RootConfig,
  ask: (cloud: CallCloud) => Promise<T>,
  over?: AbortSignal,
): Promise<T> {
  try {
    return await env.deadline.ask({
      what: 'ports.cloud',
      ms: EFFECT_TIMEOUT_MS,
      ask: (own) => {
        const signal = over ? combinedSignal(own, over) : own
        return CloudClients.of(env).use(mount, root, (client) => ask(boundedCalls(env, client, signal)))
      },
    })
  } catch (thrown) {
    throw thrown instanceof NoAnswer ? new CloudError('ports.cloud', thrown) : thrown
  }
}

/** @throws KernelError 400 without a configuration, or with one whose credentials the namespace may not use. */
export function requireRoot(tx: Tx): RootConfig {
  const root = tx.get(ROOT, ROOT_NAME)
  if (!root) throw notConfigured('config/root: the mount has no root configuration yet')
  assertCredentialsUsable(tx, root)
  return root
}
