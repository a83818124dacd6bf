import type { Tx } from '../../../core/contract/tx.ts'
import { CLOUD_STATIC_CREDENTIAL, ROOT, ROOT_NAME, STATIC_USER } from '../records.ts'
import { pendingRootKey } from './key-intents.ts'

/** Represents the root configuration in a list of role names. Role names are never empty. */
const ROOT_HOLDER = ''

/**
 * Returns the ids of the access keys in use: the keys of all static roles of the user, and the keys of the root configuration, whichever
 * user those keys belong to. Each id has a list of its holders: names of static roles, and {@link ROOT_HOLDER} for the root configuration.
 * A key change for one role must not delete a key that another holder uses.
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
 * Returns the name of a role in `holders`, so that another role can return the key of that role while its own key is replaced. Never
 * returns the root configuration.
 */
export const findLender = (holders: readonly string[] = []): string | undefined =>
  holders.find((holder) => holder !== ROOT_HOLDER)

/** Records whether the role `name` uses the user. */
export function setAdopted(tx: Tx, userId: string, name: string, adopted: boolean): void {
  const others = (tx.get(STATIC_USER, userId)?.roles ?? []).filter((role) => role !== name)
  const roles = adopted ? [...others, name] : others
  if (roles.length === 0) tx.delete(STATIC_USER, userId)
  else tx.put(STATIC_USER, userId, { roles })
}
