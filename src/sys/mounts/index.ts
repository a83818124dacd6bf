import { createAuthMethod, createMount } from './create-mount.ts'
import { deleteAuthMethod, deleteMount } from './delete-mount.ts'
import { consoleMount, consoleMounts } from './for-consoles.ts'
import { moveMount, readMove } from './move-mount.ts'
import { listAuthMethods, listMounts, readAuthMethod, readAuthMethodAsMount, readMount } from './read-mounts.ts'
import {
  readAuthTuning,
  readAuthTuningAsMount,
  readMountTuning,
  tuneAuthMethod,
  tuneAuthMethodAsMount,
  tuneMount,
} from './tune-mount.ts'

/** If two paths match, the first operation wins, so longer paths come first. */
export const mountOperations = {
  readMountTuning,
  tuneMount,
  listMounts,
  readMount,
  createMount,
  deleteMount,
  readAuthTuning,
  tuneAuthMethod,
  listAuthMethods,
  readAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  moveMount,
  readMove,
}

/** Operations that can be called only by path. They come before the operations above, whose paths could also match. */
export const mountPathOperations = {
  readAuthTuningAsMount,
  tuneAuthMethodAsMount,
  readAuthMethodAsMount,
  consoleMounts,
  consoleMount,
}
