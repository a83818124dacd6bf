const FIELDS = 'if a required parameter is missing, or if the store or its adapter does not accept a value.'

const WRITE = { 400: FIELDS, 502: 'if the adapter fails to validate the parameters.' }

const NO_DESTINATION = 'if the destination does not exist.'

const TYPE = 'if the type is unknown.'

const BUSY = 'while an earlier call of this operation is in progress, or while its outcome is unknown.'

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
    400: 'if the mount is not a key/value mount of version 2, if the external store cannot store the secret, if another association uses the same name in the store, or while the destination is being purged.',
    403: 'if the caller may not read the secret or, with `adopt`, may not update the destination.',
    404: 'if the destination or the secret does not exist, or if the secret has no version.',
    502: 'if the synchronization was delayed. Background work completes it.',
    503: BUSY,
  },
  removeAssociation: {
    400: 'if a path is invalid, or while the destination is being purged.',
    404: NO_DESTINATION,
    502: 'if the synchronization was delayed. Background work completes it.',
    503: BUSY,
  },
  listAssociations: {},
  readSecretDestinations: { 400: 'if the mount does not exist.' },
  reconcile: { 400: 'if a name is given without a type.', 502: 'if a store cannot be read.' },
}
