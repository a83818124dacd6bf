import { invalid } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { KeyOwner, PendingIntent, StaticKeyIntent } from '../keys/key-intents.ts'
import { findLender, recordedKeys } from '../keys/recorded-keys.ts'
import { CLOUD_STATIC_CREDENTIAL } from '../records.ts'

/** How many keys a user can have before a new key is created. AWS allows two keys per user. */
const MAX_REMAINING_KEYS = 1

type KeyPlan = Pick<StaticKeyIntent, 'knownKeys' | 'obsoleteKeys' | 'lender'>

/**
 * Chooses the keys to delete before a new key is created, because AWS allows only two keys per user: orphaned keys first, then the oldest
 * keys. A key in a record is normally not deleted, because its static role returns the key until the new key is stored. But if two static
 * roles share a user, both keys of the user can be in records. Then the key of the rotating role is deleted, and until the new key is stored
 * the rotating role returns the key of the other role, its lender.
 * @param keys Key ids, the oldest first.
 * @throws KernelError 400 if no key may be deleted.
 */
export function planKeyDeletion(
  tx: Tx,
  name: string,
  user: KeyOwner,
  keys: readonly string[],
  pending: PendingIntent<StaticKeyIntent> | undefined,
): KeyPlan {
  const recorded = recordedKeys(tx, user.id)
  const knownKeys = pending?.work.knownKeys ?? keys
  const orphans = keys.filter((key) => !knownKeys.includes(key) && !recorded.has(key))
  const others = keys.filter((key) => !orphans.includes(key))
  const excess = others.length - MAX_REMAINING_KEYS
  if (excess <= 0) return { knownKeys, obsoleteKeys: orphans }
  const oldest = others.filter((key) => !recorded.has(key)).slice(0, excess)
  if (oldest.length === excess) return { knownKeys, obsoleteKeys: [...orphans, ...oldest] }
  const own = tx.get(CLOUD_STATIC_CREDENTIAL, name)?.access_key
  const lender = others.map((key) => (key === own ? undefined : findLender(recorded.get(key)))).find((role) => role !== undefined)
  if (own !== undefined && others.includes(own) && recorded.get(own)?.length === 1 && lender !== undefined)
    return { knownKeys, obsoleteKeys: [...orphans, ...oldest, own], lender }
  throw invalid('username: the user already has two keys, which static roles or the root configuration use')
}
