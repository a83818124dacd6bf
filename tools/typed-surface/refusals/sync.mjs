const FIELDS = 'if a required parameter is missing, or if the external store type or its adapter does not accept a value.'

const WRITE = { 400: FIELDS, 502: 'if the adapter fails to validate the parameters.' }

const NO_DESTINATION = 'if the destination does not exist.'

const TYPE = 'if the type is unknown.'

const BUSY =
  'if an earlier call of this operation for the same secret and destination is in progress, or if its outcome is unknown.'

export const SYNC = {
  writeCloudASm: WRITE,
  writeCloudBKv: WRITE,
  writeCloudCSm: WRITE,
  writeRepohost: WRITE,
  writeWebhostProject: WRITE,
  readDestination: { 400: TYPE, 404: NO_DESTINATION },
  listDestinations: {},
  listDestinationsOfType: { 400: TYPE },
  deleteDestination: {
    400: 'if the type is unknown, or if the destination has associations and neither `purge` nor `force_delete` is given.',
  },
  readAssociations: { 400: TYPE, 404: NO_DESTINATION },
  setAssociation: {
    400: 'if the mount is not a key/value engine of version 2 or is local, if the external store cannot store the secret, if another association uses the same external name, or if the destination is being purged.',
    403: 'if the caller is not allowed to read the secret, or if `adopt` is set and the caller is not allowed to update the destination.',
    404: 'if the destination or the secret does not exist, or if the secret has no readable version.',
    502: 'if the synchronization was delayed. Background work completes it.',
    503: BUSY,
  },
  removeAssociation: {
    400: 'if a path is invalid, or if the destination is being purged.',
    404: NO_DESTINATION,
    502: 'if the synchronization was delayed. Background work completes it.',
    503: BUSY,
  },
  listAssociations: {},
  readSecretDestinations: { 400: 'if the mount does not exist.' },
  reconcile: { 400: 'if `name` is given without `type`.', 502: 'if an external store cannot be read.' },
}
