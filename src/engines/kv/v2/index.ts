/** The key/value engine, version 2: secrets with versions. */
import type { Engine } from '../../../core/contract/engine.ts'
import type { Tx } from '../../../core/contract/tx.ts'
import { UPGRADE } from '../../../core/mount/upgrade.ts'
import { configure, readConfig } from './config.ts'
import { deleteLatest, deleteVersions, destroyVersions, undeleteVersions } from './delete-versions.ts'
import { listDetails, listSecrets } from './list-secrets.ts'
import { secrets } from './live-version.ts'
import { deleteMetadata, readMetadata } from './read-metadata.ts'
import { readSecret, readSubkeys } from './read-secret.ts'
import { runSweep, SWEEP_JOB } from './sweep.ts'
import { upgradeSome } from './upgrade.ts'
import { patchMetadata, writeMetadata } from './write-metadata.ts'
import { patchSecret, writeSecret } from './write-secret.ts'
import { wrongPathOperations } from './wrong-paths.ts'

/** The operations of the typed facade. */
export const kv2Operations = {
  readSecret,
  writeSecret,
  patchSecret,
  deleteLatest,
  deleteVersions,
  undeleteVersions,
  destroyVersions,
  readMetadata,
  writeMetadata,
  patchMetadata,
  deleteMetadata,
  listSecrets,
  listDetails,
  readSubkeys,
  readConfig,
  configure,
}

function housekeeping(tx: Tx, id: string): void {
  if (id === UPGRADE) upgradeSome(tx)
  else if (id.startsWith(`${SWEEP_JOB}/`)) runSweep(tx, id.slice(SWEEP_JOB.length + 1))
}

/**
 * Mounts of versions 1 and 2 have the type `kv`. This engine nevertheless has the type name `kv-v2`, so that the facade of each version
 * refuses mounts of the other version.
 */
export const kv2 = {
  type: 'kv-v2',
  mounts: 'secret',
  operations: { ...kv2Operations, ...wrongPathOperations },
  due: { housekeeping },
  secrets,
} satisfies Engine
