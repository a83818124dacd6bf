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
  perform: change,
  finish: (_tx, _intent: RootKeyIntent, made: RootKeyResult) => made,
  recover: { perform: recover, finish: answer },
  refused: (_tx, _intent, _refusal, { doubtful }) => (doubtful ? 'again' : undefined),
})

export const notTheOnlyKey = (): KernelError => invalid('access_key: has to be the only key of its user, which has another one')

const otherKey = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'config/root: was written meanwhile; the key was not changed, ask again')

async function change(intent: RootKeyIntent, outside: Outside): Promise<RootKeyResult> {
  let asked = false
  try {
    return await callCloudFromEffect(outside, (cloud, root) => {
      asked = true
      return replace(cloud, root, intent, outside)
    })
  } catch (thrown) {
    throw !asked && thrown instanceof KernelError ? new NothingDone(thrown) : thrown
  }
}

/** All of it with the client of the key before. */
async function replace(cloud: CallCloud, root: RootConfig, intent: RootKeyIntent, outside: Outside): Promise<RootKeyResult> {
  const { user, goes, former } = intent
  if (root.access_key !== former.access_key) throw new NothingDone(otherKey())
  await deleteKeys(cloud, user, goes).catch((thrown) => {
    throw thrown instanceof CloudError ? new NothingDone(thrown.refusal) : thrown
  })
  const made = await newKey(cloud, intent, outside)
  await store(cloud, made, intent, outside)
  try {
    await deleteKeys(cloud, user, [former.access_key])
  } catch (thrown) {
    if (!(thrown instanceof CloudError) || thrown.failure.reason === 'timeout') throw toKernelError(thrown)
    throw new Unsettled(thrown.refusal)
  }
  return { access_key: made.access_key }
}

async function newKey(cloud: CallCloud, intent: RootKeyIntent, outside: Outside): Promise<RootKey> {
  const { accessKeyId, secretAccessKey } = await createAccessKey(cloud, outside, intent, notTheOnlyKey())
  return { access_key: accessKeyId, secret_key: secretAccessKey }
}

async function store(cloud: CallCloud, made: RootKey, intent: RootKeyIntent, outside: Outside): Promise<void> {
  let mayBeStored = false
  try {
    await outside.advance({ ...intent, made }, (tx) => {
      mayBeStored = false
      const root = tx.get(ROOT, ROOT_NAME)
      if (root?.access_key !== intent.former.access_key) throw otherKey()
      mayBeStored = true
      tx.put(ROOT, ROOT_NAME, { ...root, ...made, generation: intent.generation })
      tx.event('root.rotated', { name: ROOT_NAME })
    })
  } catch (thrown) {
    if (mayBeStored) throw thrown
    // Nobody will know it.
    await deleteKeys(cloud, intent.user, [made.access_key]).catch((error) => {
      throw new Unsettled(error instanceof CloudError ? error.refusal : otherKey())
    })
    throw thrown instanceof KernelError ? new NothingDone(thrown) : thrown
  }
}

async function recover(intent: RootKeyIntent, outside: Outside): Promise<void> {
  const { user, former, made } = intent
  const { root, waits } = await outside.look((tx) => ({
    root: tx.get(ROOT, ROOT_NAME),
    waits: pendingStaticKey(tx, user.id)?.state === 'running',
  }))
  if (waits) throw keysBusy()
  if (!root) return
  const tidy = async (cloud: CallCloud): Promise<void> => {
    if (!made) await deleteOrphanedKeys(cloud, outside, intent)
    else if (root.access_key === former.access_key) await deleteKeys(cloud, user, [made.access_key])
    else if (root.access_key === made.access_key) await deleteKeys(cloud, user, [former.access_key])
    else await deleteKeys(cloud, user, [former.access_key, made.access_key])
  }
  try {
    const isOurs = root.access_key === former.access_key || root.access_key === made?.access_key
    await (isOurs ? callCloudFromEffect(outside, tidy) : askAs(made ?? former, root, outside, tidy))
  } catch (thrown) {
    throw toKernelError(thrown)
  }
}

/** By a key that is not configured any more. What the cloud refuses to it then is let be. */
async function askAs(
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
function answer(tx: Tx, { made }: RootKeyIntent): RootKeyResult | undefined {
  const access_key = tx.get(ROOT, ROOT_NAME)?.access_key
  return made && made.access_key === access_key ? { access_key } : undefined
}
