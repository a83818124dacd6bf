import type { Tx } from '../../../core/contract/tx.ts'
import { CLOUD_STATIC_CREDENTIAL, ROOT, ROOT_NAME, STATIC_USER } from '../records.ts'
import { pendingRootKey } from './key-intents.ts'

/** Represents the root configuration in a list of role names. Role names are never empty. */
const ROOT_HOLDER = ''

/**
 * Returns the keys that records of the mount contain, each with the names of the roles that have it. Changing the key of one role must not
 * delete any of these keys. The keys of the root configuration are included, even if they belong to another user.
 */
export function recordedKeys(tx: Tx, userId: string): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, readonly string[]>()
  const add = (key: string | undefined, holder: string): void => {
    if (key !== undefined) holders.set(key, [...(holders.get(key) ?? []), holder])
  }
  for (const name of tx.get(STATIC_USER, userId)?.roles ?? []) add(tx.get(CLOUD_STATIC_CREDENTIAL, name)?.access_key, name)
  add(tx.get(ROOT, ROOT_NAME)?.access_key, ROOT_HOLDER)
  add(pendingRootKey(tx)?.work.created?.access_key, ROOT_HOLDER)
  return holders
}

/**
 * Returns one of the roles that have a key, so that another role can return this key while its own is replaced. The root configuration is
 * never returned.
 */
export const findLender = (holders: readonly string[] = []): string | undefined =>
  holders.find((holder) => holder !== ROOT_HOLDER)

/** Records that a role uses a user (`adopted`), or no longer uses it. */
export function setAdopted(tx: Tx, userId: string, name: string, adopted: boolean): void {
  const others = (tx.get(STATIC_USER, userId)?.roles ?? []).filter((role) => role !== name)
  const roles = adopted ? [...others, name] : others
  if (roles.length === 0) tx.delete(STATIC_USER, userId)
  else tx.put(STATIC_USER, userId, { roles })
}
