/**
 * What is live in a mount, for those who keep it elsewhere, too.
 */

import { KernelService } from './kernel-service.ts'
import type { MountRecord } from './mount-record.ts'
import type { Tx } from './tx.ts'

export interface LiveSecret {
  /** A JSON object, without white space. */
  readonly text: string
  readonly version: number
  /** Milliseconds: when it deletes itself; undefined: never. */
  readonly until: number | undefined
}

export interface LiveSecrets {
  /** The path, relative to the mount, that a secret is read at: who may read that may have it kept elsewhere. */
  readonly readPath: (path: string) => string
  /** Undefined where nothing is. For reads only: it may look at many records. */
  readonly live: (tx: Tx, path: string) => LiveSecret | undefined
}

/** Who is told about mounts whose records carry the mark `synced`, in the commit that changes something. */
export interface SecretChangeListener {
  readonly onChange: (tx: Tx, path: string) => void
  /** The mount is gone from this commit on. */
  readonly onUnmount: (tx: Tx, mount: MountRecord) => void
}

export const SECRET_CHANGES = /* @__PURE__ */ new KernelService<SecretChangeListener>()
