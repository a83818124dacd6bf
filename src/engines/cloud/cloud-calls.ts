import { combinedSignal } from '../../core/base/combined-signal.ts'
import { NoAnswer } from '../../core/base/deadline.ts'
import { KernelError, notConfigured } from '../../core/base/errors.ts'
import type { EffectContext } from '../../core/contract/effect.ts'
import type { Environment } from '../../core/contract/environment.ts'
import type { MemoScope, Tx } from '../../core/contract/tx.ts'
import { NotCalled } from '../credentials/intents.ts'
import { assertCredentialsUsable } from './ambient.ts'
import { type CloudMethod, isValidAnswer } from './answers.ts'
import { useCloudClient } from './clients.ts'
import { CloudError } from './failures.ts'
import type { CloudClient, NewCloudAccessKey } from './port.ts'
import { ROOT, ROOT_NAME, type RootConfig } from './records.ts'

/** The timeout for all calls of one effect together, in milliseconds. */
export const EFFECT_TIMEOUT_MS = 30_000

/** Calls one method of the client, under a deadline. @throws CloudError */
export type CallCloud = <M extends CloudMethod>(method: M, request: Parameters<CloudClient[M]>[0]) => ReturnType<CloudClient[M]>

/**
 * Deletes an access key if the call that created it succeeded only after its timeout. No caller receives the secret of such a key, so the
 * key would remain in the cloud unused.
 */
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

/** The failure for an invalid answer of the client. */
const MALFORMED_ANSWER = { reason: 'unknown' }

/** Wraps a client so that each call has a deadline. A call also ends if `signal` is aborted. */
export const boundedCalls = ({ deadline, closing }: Environment, client: CloudClient, signal?: AbortSignal): CallCloud =>
  (async (method: CloudMethod, request: never) => {
    let answer: unknown
    try {
      answer = await deadline.call<unknown>({
        name: `ports.cloud ${method}`,
        call: (own) => {
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
 * Calls the cloud from an effect, with the current root configuration.
 * @throws NotCalled if the root configuration does not exist or may not be used, or if no client can be created. Otherwise every error of
 * `ask`.
 */
export async function callCloudFromEffect<T>(
  { env, signal, read: look }: EffectContext,
  ask: (cloud: CallCloud, root: RootConfig) => Promise<T>,
): Promise<T> {
  let called = false
  try {
    const { root, mount } = await look((tx) => ({ root: requireRoot(tx), mount: tx.call.mount.uuid }))
    return await useCloudClient(env, mount, root, (client) => {
      called = true
      return ask(boundedCalls(env, client, signal), root)
    })
  } catch (thrown) {
    throw !called && thrown instanceof KernelError ? new NotCalled(thrown) : thrown
  }
}

/**
 * Calls the cloud inside a transaction, without an intent. A rerun of the transaction's body does not run `ask` again, but uses its earlier
 * result (see `lasts`). All calls of `ask` together have the timeout {@link EFFECT_TIMEOUT_MS}.
 * @param once A name for the result of `ask`, unique in the transaction. A rerun finds the result by this name.
 * @param lasts `attempt`: run `ask` again after a conflict. Default: keep the result for the whole request.
 * @throws KernelError 400 if the root configuration does not exist or may not be used, CloudError after the timeout, and every error of
 * `ask`.
 */
export function callCloudInTransaction<T>(tx: Tx, once: string, ask: (cloud: CallCloud) => Promise<T>, lasts?: MemoScope): T {
  const root = requireRoot(tx)
  const { env } = tx
  const { mount } = tx.call
  return tx.once(once, () => callCloudBounded(env, mount.uuid, root, ask), lasts)
}

/**
 * Runs `ask`. All of its calls together have the timeout {@link EFFECT_TIMEOUT_MS}.
 * @param over A signal that ends the calls before the timeout.
 * @throws CloudError after the timeout, and every error of `ask`.
 */
export async function callCloudBounded<T>(
  env: Environment,
  mount: string,
  root: RootConfig,
  ask: (cloud: CallCloud) => Promise<T>,
  over?: AbortSignal,
): Promise<T> {
  try {
    return await env.deadline.call({
      name: 'ports.cloud',
      ms: EFFECT_TIMEOUT_MS,
      call: (own) => {
        const signal = over ? combinedSignal(own, over) : own
        return useCloudClient(env, mount, root, (client) => ask(boundedCalls(env, client, signal)))
      },
    })
  } catch (thrown) {
    throw thrown instanceof NoAnswer ? new CloudError('ports.cloud', thrown) : thrown
  }
}

/**
 * Returns the root configuration of the mount. @throws KernelError 400 if it does not exist, or if it has no access key and its namespace
 * may not use ambient credentials.
 */
export function requireRoot(tx: Tx): RootConfig {
  const root = tx.get(ROOT, ROOT_NAME)
  if (!root) throw notConfigured('config/root: is not configured; write the root configuration of the mount first')
  assertCredentialsUsable(tx, root)
  return root
}
