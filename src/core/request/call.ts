/**
 * On whose behalf an operation runs, and where. Room: core/request. Made by both views and the motor; read by operations through `tx.call`.
 */
import type { Caller } from '../auth/caller.ts'
import type { MountRecord } from '../mount/mount.ts'
import type { NamespaceRecord } from '../namespace/namespace.ts'
import type { Tx } from '../transaction/tx.ts'

export interface WrapWish {
  /** Seconds, at least one. */
  readonly ttl: number
  readonly format: 'token' | 'jwt'
}

export interface Call {
  readonly caller: Caller
  /** Of the mount the path lies in. */
  readonly mount: MountRecord
  /** In which the path lies. */
  readonly namespace: NamespaceRecord
  /** From where it is asked, as far as that was told. */
  readonly remoteAddress?: string | undefined
  /** Below the namespace, without a slash at the end: `auth/token/create`. Empty for a typed read of the application. */
  readonly path: string
  /** The caller may do on this path what only `sudo` allows. */
  readonly sudo: boolean
  /** How the answer is to be wrapped, where that was asked for. */
  readonly wrap?: WrapWish | undefined
  /** Judges the caller again inside the transaction, where what the judgement rests on may have changed since. */
  readonly recheck: ((tx: Tx) => void) | undefined
}
