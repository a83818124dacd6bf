// When methods of both key/value engines and of the cubbyhole refuse, by status, in addition to the errors of every method. Derived from the operations.

const PATH = 'if the path is invalid'
const WRITABLE = 'if the path is empty, invalid, or ends with a slash'
const TOO_LARGE = 'if the value is too large for the storage.'
const CAS = 'if `options.cas` is not the latest version, or is required and missing'
const NO_VERSIONS = 'if no version is given, or if the metadata of the versions is on too many pages for one commit.'

export const KV = {
  readSecret: { 400: `${PATH}.`, 404: 'if the path has no secret.' },
  writeSecret: { 400: `${WRITABLE}, or if \`data\` is empty.`, 413: TOO_LARGE },
  deleteSecret: {},
  listSecrets: {},
}

export const KV2 = {
  readSecret: {
    400: `${PATH}.`,
    404: 'if the secret or the version does not exist, or if the version was deleted or destroyed. In the latter case `details` has `version`, `destroyed` and `deletion_time`.',
  },
  writeSecret: { 400: `${WRITABLE}, if \`data\` is missing, or ${CAS}.`, 413: TOO_LARGE },
  patchSecret: {
    400: `${WRITABLE}, if \`data\` is missing, or ${CAS}.`,
    404: 'if the secret does not exist, or if its latest version was deleted or destroyed.',
    413: TOO_LARGE,
  },
  deleteLatest: { 400: `${PATH}.` },
  deleteVersions: { 400: NO_VERSIONS },
  undeleteVersions: { 400: NO_VERSIONS },
  destroyVersions: { 400: NO_VERSIONS },
  readMetadata: { 400: `${PATH}.`, 404: 'if the secret does not exist.' },
  writeMetadata: {
    400: `${WRITABLE}; if a setting is out of range; if \`custom_metadata\` has more than 64 entries, or an entry that is too long; if \`metadata_cas\` does not equal the number of earlier writes of the settings, or is required and missing.`,
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
    404: 'if the secret or the version does not exist, or if the version was deleted or destroyed.',
  },
  readConfig: {},
  configure: { 400: 'if `max_versions` is above 2^32 - 1, or if `delete_version_after` is longer than 292 years.' },
}

const SERVICE = 'if the caller has no service token'

export const CUBBYHOLE = {
  readEntry: { 400: `${SERVICE}, or ${PATH}.`, 404: 'if the path has no entry.' },
  writeEntry: {
    400: `${SERVICE}, ${WRITABLE}, or if \`data\` is empty.`,
    403: 'if the token was revoked during the request.',
    413: TOO_LARGE,
  },
  deleteEntry: { 400: `${SERVICE}.` },
  listEntries: { 400: `${SERVICE}.` },
}
