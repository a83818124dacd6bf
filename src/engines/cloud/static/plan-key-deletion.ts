/**
 * Which keys of a user go before another one is made: two are what a user may have.
 */
import { invalid } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import type { KeyOwner, PendingIntent, StaticKeyIntent } from '../keys/key-intents.ts'
import { findLender, recordedKeys } from '../keys/recorded-keys.ts'
import { CLOUD_STATIC_CREDENTIAL } from '../records.ts'

/** Before a new one is made. */
const MAX_REMAINING_KEYS = 1

type KeyPlan = Pick<StaticKeyIntent, 'knownKeys' | 'obsoleteKeys' | 'lender'>

/**
 * Keys whose replies were lost go first, then the oldest. A key that a record holds stays: its own role hands it out until the new one is
 * stored. Where two roles share a user each holds a key of the two; the one that rotates hands out the other's while its own is replaced.
 * @param keys Ids, the oldest first.
 * @throws KernelError 400 where none may go.
 */
export function planKeyDeletion(
  tx: Tx,
  name: string,
  user: KeyOwner,
  keys: readonly string[],
  leftover: PendingIntent<StaticKeyIntent> | undefined,
): KeyPlan {
  const held = recordedKeys(tx, user.id)
  const knownKeys = leftover?.work.knownKeys ?? keys
  const strays = keys.filter((key) => !knownKeys.includes(key) && !held.has(key))
  const others = keys.filter((key) => !strays.includes(key))
  const excess = others.length - MAX_REMAINING_KEYS
  if (excess <= 0) return { knownKeys, obsoleteKeys: strays }
  const oldest = others.filter((key) => !held.has(key)).slice(0, excess)
  if (oldest.length === excess) return { knownKeys, obsoleteKeys: [...strays, ...oldest] }
  const own = tx.get(CLOUD_STATIC_CREDENTIAL, name)?.access_key
  const lender = others.map((key) => (key === own ? undefined : findLender(held.get(key)))).find((role) => role !== undefined)
  if (own !== undefined && others.includes(own) && held.get(own)?.length === 1 && lender !== undefined)
    return { knownKeys, obsoleteKeys: [...strays, ...oldest, own], lender }
  throw invalid('username: the user has no room for another key: those it has are held by static roles or the root configuration')
}
