/**
 * Rotation of the access key in the root configuration. At first, the new secret exists only in this process. Then one commit stores the
 * new key both in the configuration and in the intent, which also contains the previous key.
 *
 * - If the process stops before that commit, the previous key is still configured. Recovery deletes the new key, because its secret is
 *   lost.
 * - If the process stops after that commit, recovery uses the new key to delete the previous one. It retries until the cloud accepts the
 *   new key.
 * - If a request has written another key to the configuration meanwhile, recovery keeps that configuration and deletes the keys of the
 *   rotation.
 */
import { invalid, KernelError } from '../../../core/base/errors.ts'
import { type EffectContext, effect, NotApplied, PossiblyApplied } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { clientSettings, connectClient } from '../clients.ts'
import { boundedCalls, type CallCloud, callCloudFromEffect, EFFECT_TIMEOUT_MS } from '../cloud-calls.ts'
import { CloudError, isCloudRefusal, reasonOf, toKernelError, toNotApplied, toPossiblyApplied } from '../failures.ts'
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
  perform: (intent: RootKeyIntent, outside) =>
    callCloudFromEffect(outside, (cloud, root) => replaceKey(cloud, root, intent, outside)),
  finish: (_tx, _intent: RootKeyIntent, made: RootKeyResult) => made,
  recover: { perform: recover, finish: resumedResult },
  onRefusal: (_tx, _intent, _refusal, { mayBeApplied: doubtful }) => (doubtful ? 'again' : undefined),
})

export const notTheOnlyKey = (): KernelError =>
  invalid('access_key: must be the only key of its user; delete the other key and try again')

const configChanged = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'config/root: was changed by another request, so the key was not rotated; try again')

/**
 * Creates the new key, stores it, and deletes the previous key. All of these calls are made with the previous key, because the cloud may
 * not accept the new key yet.
 */
async function replaceKey(
  cloud: CallCloud,
  root: RootConfig,
  intent: RootKeyIntent,
  outside: EffectContext,
): Promise<RootKeyResult> {
  const { user, obsoleteKeys, previous } = intent
  if (root.access_key !== previous.access_key) throw new NotApplied(configChanged())
  await deleteKeys(cloud, user, obsoleteKeys).catch((thrown) => {
    throw toNotApplied(thrown)
  })
  const made = await createRootKey(cloud, intent, outside)
  await storeKey(cloud, made, intent, outside)
  try {
    await deleteKeys(cloud, user, [previous.access_key])
  } catch (thrown) {
    throw reasonOf(thrown) === 'timeout' ? toKernelError(thrown) : toPossiblyApplied(thrown)
  }
  return { access_key: made.access_key }
}

async function createRootKey(cloud: CallCloud, intent: RootKeyIntent, outside: EffectContext): Promise<RootKey> {
  const { accessKeyId, secretAccessKey } = await createAccessKey(cloud, outside, intent, notTheOnlyKey())
  return { access_key: accessKeyId, secret_key: secretAccessKey }
}

async function storeKey(cloud: CallCloud, made: RootKey, intent: RootKeyIntent, outside: EffectContext): Promise<void> {
  let mayBeStored = false
  try {
    await outside.saveProgress({ ...intent, created: made }, (tx) => {
      mayBeStored = false
      const root = tx.get(ROOT, ROOT_NAME)
      if (root?.access_key !== intent.previous.access_key) throw configChanged()
      mayBeStored = true
      tx.put(ROOT, ROOT_NAME, { ...root, ...made, generation: intent.generation })
      tx.event('root.rotated', { name: ROOT_NAME })
    })
  } catch (thrown) {
    if (mayBeStored) throw thrown
    // The commit failed and the secret of the new key will be lost, so delete the key.
    await deleteKeys(cloud, intent.user, [made.access_key]).catch((error) => {
      throw new PossiblyApplied(error instanceof CloudError ? error.refusal : configChanged())
    })
    throw thrown instanceof KernelError ? new NotApplied(thrown) : thrown
  }
}

async function recover(intent: RootKeyIntent, outside: EffectContext): Promise<void> {
  const { user, previous, created } = intent
  const { root, isBlocked } = await outside.read((tx) => ({
    root: tx.get(ROOT, ROOT_NAME),
    isBlocked: pendingStaticKey(tx, user.id)?.state === 'running',
  }))
  if (isBlocked) throw keysBusy()
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

/**
 * Calls the cloud with a key that is no longer configured. A refusal is ignored, since the key may have been deleted or may have lost its
 * permissions.
 */
async function callWithKey(
  key: RootKey,
  root: RootConfig,
  { env, signal }: EffectContext,
  ask: (cloud: CallCloud) => Promise<void>,
): Promise<void> {
  const client = connectClient(env, clientSettings({ ...root, ...key }))
  try {
    await ask(boundedCalls(env, client, signal))
  } catch (thrown) {
    if (!isCloudRefusal(thrown) || thrown.reason === 'throttled') throw thrown
  } finally {
    await Promise.resolve(client.close()).catch(() => {})
  }
}

/** Returns the result for a request that resumed an earlier rotation, or undefined if that rotation did not replace the configured key. */
function resumedResult(tx: Tx, { created }: RootKeyIntent): RootKeyResult | undefined {
  const access_key = tx.get(ROOT, ROOT_NAME)?.access_key
  return created && created.access_key === access_key ? { access_key } : undefined
}
