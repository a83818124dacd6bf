const FIELDS = 'for a required parameter that is missing, and for values that the store or its adapter does not accept.'

const WRITE = { 400: FIELDS, 502: 'if the adapter fails to validate the parameters.' }

const NO_DESTINATION = 'if the destination does not exist.'

const TYPE = 'for an unknown type.'

const BUSY = 'if the same operation is in progress, or its outcome is unknown.'

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
    400: 'for an unknown type, and while it manages associations, unless `purge` or `force_delete` is given.',
  },
  readAssociations: { 400: TYPE, 404: NO_DESTINATION },
  setAssociation: {
    400: 'for a mount that is not a key/value mount of version 2, for a secret that the external store cannot store, for a name that another association uses there, and while the destination is being purged.',
    403: 'if the caller may not read the secret, or, with `adopt`, may not update the destination.',
    404: 'if the destination does not exist or the secret does not exist, or has no version.',
    502: 'if it was delayed: background work completes it.',
    503: BUSY,
  },
  removeAssociation: {
    400: 'for invalid paths, and while the destination is being purged.',
    404: NO_DESTINATION,
    502: 'if it was delayed: background work completes it.',
    503: BUSY,
  },
  listAssociations: {},
  readSecretDestinations: { 400: 'if the mount does not exist.' },
  reconcile: { 400: 'for a name without a type.', 502: 'if a store cannot be read.' },
}
