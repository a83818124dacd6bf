/**
 * The key of the root configuration is replaced. The secret of the new one is only in this process until the commit that stores it:
 *
 * - Dead before that commit: the configured key is still the one before. A recovery deletes keys that are on the user and that nobody knows.
 * - That commit puts the new key into the configuration and into the intent, beside the one before.
 * - Dead after it: a recovery deletes the key before, and does so with the new one. It waits while the cloud does not know that yet.
 * - Configured anew meanwhile: what is configured stays, and the key that nobody knows goes.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { effect, NothingDone, type Outside, Unsettled } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { clientSettings, connectClient } from '../clients.ts'
import {
  boundedCalls,
  type CallCloud,
  CloudError,
  callCloudFromEffect,
  EFFECT_TIMEOUT_MS,
  toKernelError,
} from '../cloud-calls.ts'
import { isCloudRefusal } from '../failures.ts'
import { createAccessKey, deleteKeys, deleteOrphanedKeys } from '../keys/change-keys.ts'
import { keysBusy, pendingStaticKey, ROOT_KEY_EFFECT, type RootKey, type RootKeyIntent } from '../keys/key-intents.ts'
import { ROOT, ROOT_NAME, type RootConfig } from '../records.ts'

export interface RootKeyResult {
  readonly access_key: string
}

export const ROTATE_CLOUD_ROOT = /* @__PURE__ */ effect({
  ...ROOT_KEY_EFFECT,
  timeoutMs: EFFECT_TIMEOUT_MS,
  replicated: true,
  perform: rotateKey,
  finish: (_tx, _intent: RootKeyIntent, made: RootKeyResult) => made,
  recover: { perform: recover, finish: resumedResult },
  refused: (_tx, _intent, _refusal, { doubtful }) => (doubtful ? 'again' : undefined),
})

export const notTheOnlyKey = (): KernelError => invalid('access_key: has to be the only key of its user, which has another one')

const configChanged = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'config/root: was written meanwhile; the key was not changed, ask again')

async function rotateKey(intent: RootKeyIntent, outside: Outside): Promise<RootKeyResult> {
  let asked = false
  try {
    return await callCloudFromEffect(outside, (cloud, root) => {
      asked = true
      return replaceKey(cloud, root, intent, outside)
    })
  } catch (thrown) {
    throw !asked && thrown instanceof KernelError ? new NothingDone(thrown) : thrown
  }
}

/** All of it with the client of the key before. */
async function replaceKey(cloud: CallCloud, root: RootConfig, intent: RootKeyIntent, outside: Outside): Promise<RootKeyResult> {
  const { user, obsoleteKeys, previous } = intent
  if (root.access_key !== previous.access_key) throw new NothingDone(configChanged())
  await deleteKeys(cloud, user, obsoleteKeys).catch((thrown) => {
    throw thrown instanceof CloudError ? new NothingDone(thrown.refusal) : thrown
  })
  const made = await createRootKey(cloud, intent, outside)
  await storeKey(cloud, made, intent, outside)
  try {
    await deleteKeys(cloud, user, [previous.access_key])
  } catch (thrown) {
    if (!(thrown instanceof CloudError) || thrown.failure.reason === 'timeout') throw toKernelError(thrown)
    throw new Unsettled(thrown.refusal)
  }
  return { access_key: made.access_key }
}

async function createRootKey(cloud: CallCloud, intent: RootKeyIntent, outside: Outside): Promise<RootKey> {
  const { accessKeyId, secretAccessKey } = await createAccessKey(cloud, outside, intent, notTheOnlyKey())
  return { access_key: accessKeyId, secret_key: secretAccessKey }
}

async function storeKey(cloud: CallCloud, made: RootKey, intent: RootKeyIntent, outside: Outside): Promise<void> {
  let mayBeStored = false
  try {
    await outside.advance({ ...intent, created: made }, (tx) => {
      mayBeStored = false
      const root = tx.get(ROOT, ROOT_NAME)
      if (root?.access_key !== intent.previous.access_key) throw configChanged()
      mayBeStored = true
      tx.put(ROOT, ROOT_NAME, { ...root, ...made, generation: intent.generation })
      tx.event('root.rotated', { name: ROOT_NAME })
    })
  } catch (thrown) {
    if (mayBeStored) throw thrown
    // Nobody will know it.
    await deleteKeys(cloud, intent.user, [made.access_key]).catch((error) => {
      throw new Unsettled(error instanceof CloudError ? error.refusal : configChanged())
    })
    throw thrown instanceof KernelError ? new NothingDone(thrown) : thrown
  }
}

async function recover(intent: RootKeyIntent, outside: Outside): Promise<void> {
  const { user, previous, created } = intent
  const { root, waits } = await outside.look((tx) => ({
    root: tx.get(ROOT, ROOT_NAME),
    waits: pendingStaticKey(tx, user.id)?.state === 'running',
  }))
  if (waits) throw keysBusy()
  if (!root) return
  const tidy = async (cloud: CallCloud): Promise<void> => {
    if (!created) await deleteOrphanedKeys(cloud, outside, intent)
    else if (root.access_key === previous.access_key) await deleteKeys(cloud, user, [created.access_key])
    else if (root.access_key === created.access_key) await deleteKeys(cloud, user, [previous.access_key])
    else await deleteKeys(cloud, user, [previous.access_key, created.access_key])
  }
  try {
    const isOurs = root.access_key === previous.access_key || root.access_key === created?.access_key
    await (isOurs ? callCloudFromEffect(outside, tidy) : callWithKey(created ?? previous, root, outside, tidy))
  } catch (thrown) {
    throw toKernelError(thrown)
  }
}

/** By a key that is not configured any more. What the cloud refuses to it then is let be. */
async function callWithKey(
  key: RootKey,
  root: RootConfig,
  { env, signal }: Outside,
  ask: (cloud: CallCloud) => Promise<void>,
): Promise<void> {
  const client = connectClient(env, clientSettings({ ...root, ...key }))
  try {
    await ask(boundedCalls(env, client, signal))
  } catch (thrown) {
    if (!(thrown instanceof CloudError && isCloudRefusal(thrown.failure)) || thrown.failure.reason === 'throttled') throw thrown
  } finally {
    await Promise.resolve(client.close()).catch(() => {})
  }
}

/** For a request that has resumed it. */
function resumedResult(tx: Tx, { created }: RootKeyIntent): RootKeyResult | undefined {
  const access_key = tx.get(ROOT, ROOT_NAME)?.access_key
  return created && created.access_key === access_key ? { access_key } : undefined
}
