import type { ShownSyncType } from './types.ts'

/** An external secret that differs from its desired state. */
export interface Drift {
  /** The type of the destination. */
  readonly type: ShownSyncType
  /** The name of the destination. */
  readonly name: string
  /** The path of the mount; empty if it was disabled. */
  readonly mount: string
  /** The path of the secret in the mount. */
  readonly secret_name: string
  /** The key, if the keys of the secret are pushed separately. */
  readonly sub_key?: string
  /** The name in the external store. */
  readonly external_name: string
  /** `unmanaged`: an external secret with the name exists that this association did not create. Only `set` with `adopt` replaces it. */
  readonly found: 'missing' | 'changed' | 'unmanaged'
}
