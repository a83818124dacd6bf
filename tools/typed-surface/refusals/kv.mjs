// When the methods of both key/value engines and of the cubbyhole refuse, by status, beside what every method does. Read off the operations.

const PATH = 'for a path that no request can name'
const WRITABLE = 'for a path that is empty, ends in a slash, or that no request can name'
const TOO_LARGE = 'when the storage takes no value of that size.'
const CAS = 'when `options.cas` is not the number of the newest version, or is missing where it is required'
const NO_VERSIONS = 'when no version is named, and when those named are too far apart to be changed at once.'

export const KV = {
  readSecret: { 400: `${PATH}.`, 404: 'when there is no secret at the path.' },
  writeSecret: { 400: `${WRITABLE}, and when \`data\` is empty.`, 413: TOO_LARGE },
  deleteSecret: {},
  listSecrets: {},
}

export const KV2 = {
  readSecret: {
    400: `${PATH}.`,
    404: 'when there is no such secret or version, and when that was deleted or destroyed: `details` then tells `version`, `destroyed` and `deletion_time`.',
  },
  writeSecret: { 400: `${WRITABLE}, when \`data\` is missing, and ${CAS}.`, 413: TOO_LARGE },
  patchSecret: {
    400: `${WRITABLE}, when \`data\` is missing, and ${CAS}.`,
    404: 'when there is no secret to patch, or its newest version was deleted or destroyed.',
    413: TOO_LARGE,
  },
  deleteLatest: { 400: `${PATH}.` },
  deleteVersions: { 400: NO_VERSIONS },
  undeleteVersions: { 400: NO_VERSIONS },
  destroyVersions: { 400: NO_VERSIONS },
  readMetadata: { 400: `${PATH}.`, 404: 'when there is no such secret.' },
  writeMetadata: {
    400: `${WRITABLE}, when a setting is out of its range, when \`custom_metadata\` has more than 64 names or texts that are too long, and when \`metadata_cas\` is another number than that of the writes before, or is missing where it is required.`,
  },
  patchMetadata: {
    400: 'as `writeMetadata`.',
    404: 'when there is no such secret.',
  },
  deleteMetadata: {},
  listSecrets: {},
  listDetails: {},
  readSubkeys: {
    400: `${PATH}.`,
    404: 'when there is no such secret or version, and when that was deleted or destroyed.',
  },
  readConfig: {},
  configure: { 400: 'when `max_versions` is beyond 2^32 - 1, and when `delete_version_after` is longer than 292 years.' },
}

const SERVICE = 'when the caller is no service token'

export const CUBBYHOLE = {
  readEntry: { 400: `${SERVICE}, and ${PATH}.`, 404: 'when there is no entry at the path.' },
  writeEntry: {
    400: `${SERVICE}, ${WRITABLE}, and when \`data\` is empty.`,
    403: 'when the token ended meanwhile.',
    413: TOO_LARGE,
  },
  deleteEntry: { 400: `${SERVICE}.` },
  listEntries: { 400: `${SERVICE}.` },
}
