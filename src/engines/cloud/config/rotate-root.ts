import { invalid } from '../../../core/base/errors.ts'
import { effectOperation } from '../../../core/contract/operation.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { f } from '../../../core/field/fields.ts'
import { randomGeneration } from '../../credentials/client-cache.ts'
import { requireRoot } from '../cloud-calls.ts'
import { keysBusy, pendingRootKey, pendingStaticKey, type RootKeyIntent } from '../keys/key-intents.ts'
import { recordedKeys } from '../keys/recorded-keys.ts'
import { rootUser, userKeysIfAllowed } from '../keys/user-keys.ts'
import { ROOT_NAME } from '../records.ts'
import { notTheOnlyKey, ROTATE_CLOUD_ROOT } from './root-key.ts'

/**
 * @throws KernelError 400 if the root configuration of the mount does not exist, if the root configuration has no access key, or if the IAM
 *   user of the root configuration has a second access key that may be in use.
 * @throws KernelError 502 if the cloud refuses or throttles the call, if the call fails in the cloud, or if the cloud does not answer in
 *   time. The stored key remains usable.
 * @throws KernelError 503 if another operation is changing the access keys of the IAM user of the root configuration, if it is not known
 *   yet whether an earlier change of the access keys of the IAM user of the root configuration took effect, or if another request changes
 *   the root configuration during the rotation.
 */
export const rotateRoot = effectOperation({
  verb: 'POST',
  path: '/config/rotate-root',
  forwardable: true,
  summary:
    'Creates a new access key for the user of the root configuration, and deletes the previous key. The user must have no other key. The cloud may accept the new key only after some seconds.',
  fields: {},
  returns: { access_key: f.text('The id of the new key.') },
  effect: ROTATE_CLOUD_ROOT,
  prepare: (tx) => {
    const { access_key, secret_key } = requireRoot(tx)
    if (access_key === '') throw invalid('access_key: the root configuration has no access key to rotate')
    const pending = pendingRootKey(tx)
    if (pending?.state === 'running') throw keysBusy()
    const before = pending?.work
    if (before?.created && before.created.access_key === access_key)
      return { id: ROOT_NAME, intent: before, transient: undefined, onExistingIntent: 'resume' }
    // The pending rotation replaces a key that is no longer configured. Refuse the request until a tick has completed that rotation.
    if (before && (before.created || before.previous.access_key !== access_key)) throw keysBusy()
    const user = rootUser(tx)
    if (pendingStaticKey(tx, user.id)?.state === 'running') throw keysBusy()
    const intent: RootKeyIntent = {
      user,
      ...planDeletion(tx, user, before),
      previous: { access_key, secret_key },
      generation: randomGeneration(tx.env),
    }
    return { id: ROOT_NAME, intent, transient: undefined, onExistingIntent: 'replace' }
  },
})

/**
 * Returns which keys of the user existed before the rotation, and which keys an earlier rotation left, to be deleted. @throws KernelError
 * 400 if the user has another key that may be in use.
 */
function planDeletion(
  tx: Tx,
  user: RootKeyIntent['user'],
  before: RootKeyIntent | undefined,
): Pick<RootKeyIntent, 'knownKeys' | 'obsoleteKeys'> {
  const keys = userKeysIfAllowed(tx, user)
  const knownKeys = before ? before.knownKeys : keys
  const recorded = recordedKeys(tx, user.id)
  const obsoleteKeys = keys && knownKeys ? keys.filter((key) => !knownKeys.includes(key) && !recorded.has(key)) : []
  if (keys && keys.length - obsoleteKeys.length > 1) throw notTheOnlyKey()
  return { knownKeys, obsoleteKeys }
}
