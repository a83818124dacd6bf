/** The current secrets of a mount, for secret sync. */

import { KernelService } from './kernel-service.ts'
import type { MountRecord } from './mount-record.ts'
import type { Tx } from './tx.ts'

export interface LiveSecret {
  /** The secret as a JSON object without white space. */
  readonly text: string
  readonly version: number
  /** When the secret expires, in milliseconds since the epoch; undefined means never. */
  readonly until: number | undefined
}

export interface LiveSecrets {
  /** The path, relative to the mount, at which the secret is read. A caller who may read this path may also synchronize the secret. */
  readonly readPath: (path: string) => string
  /**
   * Returns the current version of the secret; undefined if the secret has none. Call it only in operations that do not write, because it
   * may read many records.
   */
  readonly live: (tx: Tx, path: string) => LiveSecret | undefined
}

/** Functions that secret sync registers for mounts whose record has `synced` set. They run in the commit that makes the change. */
export interface SecretChangeListener {
  readonly onChange: (tx: Tx, path: string) => void
  /** Called when the current commit removes the mount. */
  readonly onUnmount: (tx: Tx, mount: MountRecord) => void
}

export const SECRET_CHANGES = /* @__PURE__ */ new KernelService<SecretChangeListener>()
