import type { ShownSyncType } from './types.ts'

/** An external secret that differs from its desired state. */
export interface Drift {
  /** The type of the destination. */
  readonly type: ShownSyncType
  /** The name of the destination. */
  readonly name: string
  /** The path of the mount; empty if the mount was disabled. */
  readonly mount: string
  /** The path of the secret in the mount. */
  readonly secret_name: string
  /** The key, if the keys of the secret are pushed separately. */
  readonly sub_key?: string
  /** The name in the external store. */
  readonly external_name: string
  /**
   * How the external secret differs. `missing`: it does not exist. `changed`: it exists with another value. `unmanaged`: it exists but was
   * not created by this association; only `set` with `adopt` replaces it.
   */
  readonly found: 'missing' | 'changed' | 'unmanaged'
}
