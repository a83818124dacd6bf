/** Secret sync: pushes secrets of the key/value engine to external stores. */
import { listAssociations, readAssociations, readSecretDestinations, readSecretDestinationsByPath } from './association/read.ts'
import { removeAssociation } from './association/remove.ts'
import { setAssociation } from './association/set.ts'
import { deleteDestination } from './destination/delete.ts'
import { listDestinations, listDestinationsOfType, readDestination } from './destination/read.ts'
import { writeCloudASm, writeCloudBKv, writeCloudCSm, writeRepohost, writeWebhostProject } from './destination/write.ts'
import { reconcile } from './reconcile.ts'

export const syncOperations = {
  writeCloudASm,
  writeCloudBKv,
  writeCloudCSm,
  writeRepohost,
  writeWebhostProject,
  readDestination,
  listDestinations,
  listDestinationsOfType,
  deleteDestination,
  readAssociations,
  setAssociation,
  removeAssociation,
  listAssociations,
  readSecretDestinations,
  reconcile,
}

/** All operations of secret sync, including the one that can be called only by path. */
export const syncPathOperations = { ...syncOperations, readSecretDestinationsByPath }
