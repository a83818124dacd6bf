// The documented refusals of the methods of both key/value engines and of the cubbyhole, by method and HTTP status.
import { ifAny } from './conditions.mjs'

const PATH = 'the path is invalid'
const WRITABLE = 'the path is empty, is invalid, or ends with a slash'
const NO_DATA = '`data` is missing'
const EMPTY_DATA = '`data` is empty'
const TOO_LARGE = 'if the value is too large for the storage.'
const CAS = [
  '`options.cas` is not the number of the latest version',
  '`options.cas` is missing and the secret or the mount requires it',
]
const NO_SECRET = 'the secret does not exist'
const NO_VERSION = 'the secret or the version does not exist'
const GONE = 'the version was deleted or destroyed'
const VERSIONS = ifAny('`versions` is empty', 'the versions are spread over more metadata pages than one request may change')

export const KV = {
  readSecret: { 400: ifAny(PATH), 404: 'if the path has no secret.' },
  writeSecret: { 400: ifAny(WRITABLE, EMPTY_DATA), 413: TOO_LARGE },
  deleteSecret: {},
  listSecrets: {},
}

const METADATA = [
  WRITABLE,
  'a setting is out of range',
  '`custom_metadata` has more than 64 entries',
  'an entry of `custom_metadata` is too long',
  '`metadata_cas` is not the number of earlier writes of the settings',
  '`metadata_cas` is missing and the secret or the mount requires it',
]

export const KV2 = {
  readSecret: {
    400: ifAny(PATH),
    404: `${ifAny(NO_VERSION, GONE)} For a deleted or destroyed version, \`details\` has \`version\`, \`destroyed\` and \`deletion_time\`.`,
  },
  writeSecret: { 400: ifAny(WRITABLE, NO_DATA, ...CAS), 413: TOO_LARGE },
  patchSecret: {
    400: ifAny(WRITABLE, NO_DATA, ...CAS),
    404: ifAny(NO_SECRET, 'the latest version of the secret was deleted or destroyed'),
    413: TOO_LARGE,
  },
  deleteLatest: { 400: ifAny(PATH) },
  deleteVersions: { 400: VERSIONS },
  undeleteVersions: { 400: VERSIONS },
  destroyVersions: { 400: VERSIONS },
  readMetadata: { 400: ifAny(PATH), 404: ifAny(NO_SECRET) },
  writeMetadata: { 400: ifAny(...METADATA) },
  patchMetadata: { 400: ifAny(...METADATA), 404: ifAny(NO_SECRET) },
  deleteMetadata: {},
  listSecrets: {},
  listDetails: {},
  readSubkeys: { 400: ifAny(PATH), 404: ifAny(NO_VERSION, GONE) },
  readConfig: {},
  configure: { 400: ifAny('`max_versions` is above 2^32 - 1', '`delete_version_after` is longer than 292 years') },
}

const SERVICE = 'the caller has no service token'

export const CUBBYHOLE = {
  readEntry: { 400: ifAny(SERVICE, PATH), 404: 'if the path has no entry.' },
  writeEntry: {
    400: ifAny(SERVICE, WRITABLE, EMPTY_DATA),
    403: "if the caller's token is revoked during the request.",
    413: TOO_LARGE,
  },
  deleteEntry: { 400: ifAny(SERVICE) },
  listEntries: { 400: ifAny(SERVICE) },
}
