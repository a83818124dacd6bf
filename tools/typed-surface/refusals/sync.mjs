// The documented refusals of the methods of secret sync, by method and HTTP status. The adapter of an external store is an object in `ports.sync`.
import { ifAny } from './conditions.mjs'

const WRITE = {
  400: ifAny(
    'a required parameter is missing',
    'the adapter of the external store does not accept a value',
    'a value is invalid for this type of external store',
  ),
  502: 'if the method `validate` of the adapter fails.',
}

const NO_DESTINATION = 'the destination does not exist'
const TYPE = 'the type of external store is unknown'
const PURGING = 'the destination is being purged'

const LATE = 'if the synchronization did not begin or did not end in time. Background work completes it.'

const BUSY = ifAny(
  'an earlier call of this method for the same secret and destination is in progress',
  'it is not known yet whether an earlier call took effect',
)

export const SYNC = {
  writeCloudASm: WRITE,
  writeCloudBKv: WRITE,
  writeCloudCSm: WRITE,
  writeRepohost: WRITE,
  writeWebhostProject: WRITE,
  readDestination: { 400: ifAny(TYPE), 404: ifAny(NO_DESTINATION) },
  listDestinations: {},
  listDestinationsOfType: { 400: ifAny(TYPE) },
  deleteDestination: {
    400: ifAny(TYPE, 'the destination has associations and neither `purge` nor `force_delete` is given'),
  },
  readAssociations: { 400: ifAny(TYPE), 404: ifAny(NO_DESTINATION) },
  setAssociation: {
    400: ifAny(
      'the mount is not a key/value engine of version 2',
      'the mount is local',
      'the external store cannot store the secret',
      'another association uses the same external name',
      PURGING,
    ),
    403: ifAny(
      'the caller is not allowed to read the secret',
      '`adopt` is set and the caller is not allowed to update the destination',
    ),
    404: ifAny(NO_DESTINATION, 'the secret does not exist', 'the secret has no readable version'),
    502: LATE,
    503: BUSY,
  },
  removeAssociation: {
    400: ifAny('a path is invalid', PURGING),
    404: ifAny(NO_DESTINATION),
    502: LATE,
    503: BUSY,
  },
  listAssociations: {},
  readSecretDestinations: { 400: 'if the mount does not exist.' },
  reconcile: {
    400: ifAny(
      '`name` is given without `type`',
      '`limit` is out of range',
      '`after` is neither empty nor the `next` of an earlier answer',
    ),
    502: 'if an external store cannot be read.',
  },
}
