/**
 * Keys that records of the mount hold: nobody's work takes them from another.
 */
import type { Tx } from '../../../core/contract/tx.ts'
import { CLOUD_STATIC_CREDENTIAL, ROOT, ROOT_NAME, STATIC_USER } from '../records.ts'
import { pendingRootKey } from './key-intents.ts'

/** Stands for the root configuration among the names of roles, which are never empty. */
const ROOT_HOLDER = ''

/** Names of the roles that hold each key, by its id. Also those of the root configuration, whoever its user is. */
export function recordedKeys(tx: Tx, userId: string): ReadonlyMap<string, readonly string[]> {
  const held = new Map<string, readonly string[]>()
  const add = (key: string | undefined, holder: string): void => {
    if (key !== undefined) held.set(key, [...(held.get(key) ?? []), holder])
  }
  for (const name of tx.get(STATIC_USER, userId)?.roles ?? []) add(tx.get(CLOUD_STATIC_CREDENTIAL, name)?.access_key, name)
  add(tx.get(ROOT, ROOT_NAME)?.access_key, ROOT_HOLDER)
  add(pendingRootKey(tx)?.work.created?.access_key, ROOT_HOLDER)
  return held
}

/** The role that can lend a key: not the root configuration. */
export const findLender = (holders: readonly string[] = []): string | undefined =>
  holders.find((holder) => holder !== ROOT_HOLDER)

/** A role has adopted a user, or lets it go. */
export function setAdopted(tx: Tx, userId: string, name: string, adopted: boolean): void {
  const others = (tx.get(STATIC_USER, userId)?.roles ?? []).filter((role) => role !== name)
  const roles = adopted ? [...others, name] : others
  if (roles.length === 0) tx.delete(STATIC_USER, userId)
  else tx.put(STATIC_USER, userId, { roles })
}
