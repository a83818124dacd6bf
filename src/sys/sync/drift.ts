/**
 * What reconciling finds.
 */
import type { ShownSyncType } from './types.ts'

/** An external secret that is not as it should be. */
export interface Drift {
  /** The type of the store. */
  readonly type: ShownSyncType
  /** Of the destination. */
  readonly name: string
  /** The path of the mount; empty where it is gone. */
  readonly mount: string
  /** The path of the secret in it. */
  readonly secret_name: string
  /** The key, where each is pushed by itself. */
  readonly sub_key?: string
  /** What it is called outside. */
  readonly external_name: string
  /** `unmanaged`: something is there that this association did not make; it is replaced only after `set` with `adopt`. */
  readonly found: 'missing' | 'changed' | 'unmanaged'
}
