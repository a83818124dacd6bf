/**
 * Intents that change the access keys of users. A static role and the root configuration may use the same user, so only one of them can
 * change keys at a time.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { findIntent } from '../../credentials/intents.ts'
import { ROOT_NAME } from '../records.ts'

export interface KeyOwner {
  readonly name: string
  /** The immutable id of the user. A user that is deleted and created again gets a new id. */
  readonly id: string
}

interface KeyIntent {
  readonly user: KeyOwner
}

/** The intent to create, rotate or delete a static role's key. A user has at most one such intent. */
export interface StaticKeyIntent extends KeyIntent {
  readonly action: 'create' | 'rotate' | 'delete'
  /** The name of the role. */
  readonly name: string
  /**
   * The ids of the user's keys before the first creation whose answer may have been lost. A key that is neither in this list nor in a
   * record was created by such a creation. Null if the intent creates no key.
   */
  readonly knownKeys: readonly string[] | null
  /** The ids of the keys to delete. For `create` and `rotate`, they are deleted before the new key is created. */
  readonly obsoleteKeys: readonly string[]
  /**
   * The name of another role with the same user. Set if the key of this role must be deleted before the new key is created; until then,
   * this role returns the key of the other role.
   */
  readonly lender?: string
  /** The time between rotations in seconds. Only for `create`. */
  readonly rotation_period?: number
}

export interface RootKey {
  readonly access_key: string
  readonly secret_key: string
}

/** The intent to rotate the key of the root configuration. */
export interface RootKeyIntent extends KeyIntent {
  /** Like `knownKeys` in {@link StaticKeyIntent}, but null if the configured key does not have the permission to list keys. */
  readonly knownKeys: readonly string[] | null
  /** The ids of the keys to delete before the new one is created. */
  readonly obsoleteKeys: readonly string[]
  readonly previous: RootKey
  /** The new key. The commit that stores the key in the configuration also sets this member. */
  readonly created?: RootKey
  readonly generation: string
}

/** The names of the effects, which are part of the storage keys of the intents. */
export const STATIC_KEY_EFFECT = { name: 'cloud-static' } as const
export const ROOT_KEY_EFFECT = { name: 'cloud-root' } as const

/**
 * `running`: another request may still be performing the intent. `waiting`: the intent needs recovery, and the current request is allowed
 * to resume or replace the intent.
 */
export interface PendingIntent<W> {
  readonly state: 'running' | 'waiting'
  readonly work: W
}

function pendingIntent<W>(tx: Tx, effect: { readonly name: string }, id: string): PendingIntent<W> | undefined {
  const found = findIntent(tx, effect, id)
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

/** Returns the error for a request whose user has another key change in progress. */
export const keysBusy = (): KernelError =>
  new KernelError(
    'ERR_UNAVAILABLE',
    'keys of the same user are being changed, or the outcome of a change is still unknown; try again later',
  )
