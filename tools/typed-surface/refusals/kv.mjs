// When methods of both key/value engines and of the cubbyhole refuse, by status, in addition to the errors of every method. Derived from the operations.

const PATH = 'for an invalid path'
const WRITABLE = 'for a path that is empty, ends in a slash, or is invalid'
const TOO_LARGE = 'if the value is too large for the storage.'
const CAS = 'if `options.cas` is not the newest version, or is required and missing'
const NO_VERSIONS = 'without a version, and if the versions are too far apart for one operation.'

export const KV = {
  readSecret: { 400: `${PATH}.`, 404: 'if the path has no secret.' },
  writeSecret: { 400: `${WRITABLE}, and if \`data\` is empty.`, 413: TOO_LARGE },
  deleteSecret: {},
  listSecrets: {},
}

export const KV2 = {
  readSecret: {
    400: `${PATH}.`,
    404: 'if the secret does not exist or version, and if the version was deleted or destroyed: then `details` has `version`, `destroyed` and `deletion_time`.',
  },
  writeSecret: { 400: `${WRITABLE}, if \`data\` is missing, and ${CAS}.`, 413: TOO_LARGE },
  patchSecret: {
    400: `${WRITABLE}, if \`data\` is missing, and ${CAS}.`,
    404: 'if the secret does not exist, or its newest version was deleted or destroyed.',
    413: TOO_LARGE,
  },
  deleteLatest: { 400: `${PATH}.` },
  deleteVersions: { 400: NO_VERSIONS },
  undeleteVersions: { 400: NO_VERSIONS },
  destroyVersions: { 400: NO_VERSIONS },
  readMetadata: { 400: `${PATH}.`, 404: 'if the secret does not exist.' },
  writeMetadata: {
    400: `${WRITABLE}, if a setting is out of its range, if \`custom_metadata\` has more than 64 names or values that are too long, and if \`metadata_cas\` does not match the number of earlier writes, or is required and missing.`,
  },
  patchMetadata: {
    400: 'in the same cases as `writeMetadata`.',
    404: 'if the secret does not exist.',
  },
  deleteMetadata: {},
  listSecrets: {},
  listDetails: {},
  readSubkeys: {
    400: `${PATH}.`,
    404: 'if the secret does not exist or version, and if that was deleted or destroyed.',
  },
  readConfig: {},
  configure: { 400: 'if `max_versions` is above 2^32 - 1, and if `delete_version_after` is longer than 292 years.' },
}

const SERVICE = 'if the token of the caller is not a service token'

export const CUBBYHOLE = {
  readEntry: { 400: `${SERVICE}, and ${PATH}.`, 404: 'if the path has no entry.' },
  writeEntry: {
    400: `${SERVICE}, ${WRITABLE}, and if \`data\` is empty.`,
    403: 'if the token ended concurrently.',
    413: TOO_LARGE,
  },
  deleteEntry: { 400: `${SERVICE}.` },
  listEntries: { 400: `${SERVICE}.` },
}
