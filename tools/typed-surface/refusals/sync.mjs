const FIELDS = 'for a required parameter that is missing, and for what the store or its adapter does not take.'

const WRITE = { 400: FIELDS, 502: 'when the adapter fails to judge.' }

const NO_DESTINATION = 'when there is no such destination.'

const TYPE = 'for a type that is none.'

const BUSY = 'when the same is under way, or its end is not known yet.'

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
    400: 'for a type that is none, and while it manages associations, unless `purge` or `force_delete` is given.',
  },
  readAssociations: { 400: TYPE, 404: NO_DESTINATION },
  setAssociation: {
    400: 'for what is no mount of the key/value engine, version 2, for a secret that the store cannot keep, for a name that another association has there, and while the destination is being purged.',
    403: 'when the caller may not read the secret, or with `adopt` not update the destination.',
    404: 'when there is no such destination or secret, or no version of it is left.',
    502: 'when it was held up: it is done in the background.',
    503: BUSY,
  },
  removeAssociation: {
    400: 'for paths that are none, and while the destination is being purged.',
    404: NO_DESTINATION,
    502: 'when it was held up: it is done in the background.',
    503: BUSY,
  },
  listAssociations: {},
  readSecretDestinations: { 400: 'when there is no such mount.' },
  reconcile: { 400: 'for a name without a type.', 502: 'when a store cannot be asked.' },
}
