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
import { connect, settingsOf } from '../clients.ts'
import { isRefusal } from '../failures.ts'
import { deleteKeys, makeKey, sweep } from '../keys/change.ts'
import { busy, ROOT_KEY, type RootKey, type RootWork, staticWork } from '../keys/work.ts'
import { askOutside, type Cloud, CloudError, callsOf, EFFECT_TIMEOUT_MS, explained } from '../outside.ts'
import { ROOT, ROOT_NAME, type RootConfig } from '../records.ts'

export interface NewRootKey {
  readonly access_key: string
}

export const ROTATE_ROOT = /* @__PURE__ */ effect({
  ...ROOT_KEY,
  timeoutMs: EFFECT_TIMEOUT_MS,
  replicated: true,
  perform: change,
  finish: (_tx, _intent: RootWork, made: NewRootKey) => made,
  recover: { perform: recover, finish: answer },
  refused: (_tx, _intent, _refusal, { doubtful }) => (doubtful ? 'again' : undefined),
})

export const onlyOne = (): KernelError => invalid('access_key: has to be the only key of its user, which has another one')

const otherKey = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'config/root: was written meanwhile; the key was not changed, ask again')

async function change(intent: RootWork, outside: Outside): Promise<NewRootKey> {
  let asked = false
  try {
    return await askOutside(outside, (cloud, root) => {
      asked = true
      return replace(cloud, root, intent, outside)
    })
  } catch (thrown) {
    throw !asked && thrown instanceof KernelError ? new NothingDone(thrown) : thrown
  }
}

/** All of it with the client of the key before. */
async function replace(cloud: Cloud, root: RootConfig, intent: RootWork, outside: Outside): Promise<NewRootKey> {
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
    if (!(thrown instanceof CloudError) || thrown.failure.reason === 'timeout') throw explained(thrown)
    throw new Unsettled(thrown.refusal)
  }
  return { access_key: made.access_key }
}

async function newKey(cloud: Cloud, intent: RootWork, outside: Outside): Promise<RootKey> {
  const { accessKeyId, secretAccessKey } = await makeKey(cloud, outside, intent, onlyOne())
  return { access_key: accessKeyId, secret_key: secretAccessKey }
}

async function store(cloud: Cloud, made: RootKey, intent: RootWork, outside: Outside): Promise<void> {
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

async function recover(intent: RootWork, outside: Outside): Promise<void> {
  const { user, former, made } = intent
  const { root, waits } = await outside.look((tx) => ({
    root: tx.get(ROOT, ROOT_NAME),
    waits: staticWork(tx, user.id)?.state === 'running',
  }))
  if (waits) throw busy()
  if (!root) return
  const tidy = async (cloud: Cloud): Promise<void> => {
    if (!made) await sweep(cloud, outside, intent)
    else if (root.access_key === former.access_key) await deleteKeys(cloud, user, [made.access_key])
    else if (root.access_key === made.access_key) await deleteKeys(cloud, user, [former.access_key])
    else await deleteKeys(cloud, user, [former.access_key, made.access_key])
  }
  try {
    const isOurs = root.access_key === former.access_key || root.access_key === made?.access_key
    await (isOurs ? askOutside(outside, tidy) : askAs(made ?? former, root, outside, tidy))
  } catch (thrown) {
    throw explained(thrown)
  }
}

/** By a key that is not configured any more. What the cloud refuses to it then is let be. */
async function askAs(
  key: RootKey,
  root: RootConfig,
  { env, signal }: Outside,
  ask: (cloud: Cloud) => Promise<void>,
): Promise<void> {
  const client = connect(env, settingsOf({ ...root, ...key }))
  try {
    await ask(callsOf(env, client, signal))
  } catch (thrown) {
    if (!(thrown instanceof CloudError && isRefusal(thrown.failure)) || thrown.failure.reason === 'throttled') throw thrown
  } finally {
    await Promise.resolve(client.close()).catch(() => {})
  }
}

/** For a request that has resumed it. */
function answer(tx: Tx, { made }: RootWork): NewRootKey | undefined {
  const access_key = tx.get(ROOT, ROOT_NAME)?.access_key
  return made && made.access_key === access_key ? { access_key } : undefined
}
