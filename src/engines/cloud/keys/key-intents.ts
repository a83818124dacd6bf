/**
 * Work on the keys of users: what is under way, and whose. Static roles and the root configuration may be about one user, so neither begins
 * while the other is at it.
 */
import { KernelError } from '../../../core/base/errors.ts'
import { INTENT, intentId } from '../../../core/contract/effect.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { ROOT_NAME } from '../records.ts'

export interface KeyOwner {
  readonly name: string
  /** Immutable: another one if a user is made anew under the same name. */
  readonly id: string
}

interface KeyIntent {
  readonly user: KeyOwner
}

/** A user of static roles gets a key, or loses one. There is one such intent for each user. */
export interface StaticKeyIntent extends KeyIntent {
  readonly action: 'create' | 'rotate' | 'delete'
  /** The name of the role. */
  readonly name: string
  /**
   * Ids of the keys that the user had before any call whose reply may have been lost; a key that is not among them, and that no record holds,
   * was made by such a call. Null: no key is made.
   */
  readonly knownKeys: readonly string[] | null
  /** Ids of keys that are deleted first; of a deletion all there is to do. */
  readonly obsoleteKeys: readonly string[]
  /** The role whose key this one hands out while its own is replaced. */
  readonly lender?: string
  /** Seconds; of `create`. */
  readonly rotation_period?: number
}

export interface RootKey {
  readonly access_key: string
  readonly secret_key: string
}

/** The user of the root configuration gets another key. */
export interface RootKeyIntent extends KeyIntent {
  /** As for static roles. Null: the configured key may not list keys. */
  readonly knownKeys: readonly string[] | null
  /** Ids of keys that are deleted first. */
  readonly obsoleteKeys: readonly string[]
  readonly previous: RootKey
  /** Set in the commit that stores it in the configuration. */
  readonly created?: RootKey
  readonly generation: string
}

/** The effects' names, as they stand before the ids of their intents. */
export const STATIC_KEY_EFFECT = { name: 'cloud-static' } as const
export const ROOT_KEY_EFFECT = { name: 'cloud-root' } as const

/** `running`: somebody is at it, or may be until its time is over. `waiting`: somebody else may go on with it. */
export interface PendingIntent<W> {
  readonly state: 'running' | 'waiting'
  readonly work: W
}

function pendingIntent<W>(tx: Tx, effect: { readonly name: string }, id: string): PendingIntent<W> | undefined {
  const found = tx.get(INTENT, intentId(effect, id))
  if (!found) return undefined
  return { state: found.state === 'running' && tx.now < found.due ? 'running' : 'waiting', work: found.intent as W }
}

export const pendingStaticKey = (tx: Tx, userId: string): PendingIntent<StaticKeyIntent> | undefined =>
  pendingIntent(tx, STATIC_KEY_EFFECT, userId)

export const pendingRootKey = (tx: Tx): PendingIntent<RootKeyIntent> | undefined => pendingIntent(tx, ROOT_KEY_EFFECT, ROOT_NAME)

export function isRootRotationRunning(tx: Tx, userId: string): boolean {
  const found = pendingRootKey(tx)
  return found?.state === 'running' && found.work.user.id === userId
}

/** Who is refused while another is at the same user. */
export const keysBusy = (): KernelError =>
  new KernelError(
    'ERR_UNAVAILABLE',
    'keys of the same user are being changed, or it is not known yet what became of that; ask again later',
  )
