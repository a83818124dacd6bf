// When methods of the kernel's own operations refuse, by status, in addition to the errors of every method. Derived from the operations.

const OWN_POLICY = 'for the names `root` and `response-wrapping`'

export const POLICIES = {
  readPolicy: { 404: 'if the policy does not exist.' },
  writePolicy: {
    400: `if the rules are empty, longer than a policy may be, or cannot be parsed: the message has the position; ${OWN_POLICY}.`,
  },
  deletePolicy: { 400: `${OWN_POLICY}, and for \`default\`.` },
  listPolicies: {},
  explain: { 403: 'if the given token is invalid.', 400: 'for an unknown operation.' },
}

export const PASSWORDS = {
  generatePassword: {
    400: 'if random passwords hardly ever satisfy the policy.',
    404: 'if the policy does not exist.',
  },
  readPasswordPolicy: { 404: 'if the policy does not exist.' },
  writePasswordPolicy: {
    400: 'if the policy is empty or cannot be read, if its length is not 4 to 100, and if its rules need more characters than that.',
    405: 'for a name that ends in `/generate`, which generates a password.',
  },
  deletePasswordPolicy: { 405: 'for a name that ends in `/generate`, which generates a password.' },
  listPasswordPolicies: {},
}

const PATHS = 'without a path, for an empty path, and for more than 10,000 paths'

export const CAPABILITIES = {
  capabilities: { 400: `${PATHS}, and if the token is invalid.` },
  capabilitiesSelf: { 400: `${PATHS}.` },
  capabilitiesAccessor: { 400: `${PATHS}, and if no token has the accessor.` },
  resultantAcl: {},
}

const NO_MOUNT = 'if nothing is mounted there.'
const TUNING =
  'if nothing is mounted there, if the default lifetime is above the maximum, if the options name an unknown version, and for settings that the mount does not support.'
const CREATING =
  'if the type is unknown or cannot be mounted there, if the path is malformed or a mount or a namespace is at it, above or below it, and if the default lifetime is above the maximum.'

export const MOUNTS = {
  readMountTuning: { 400: NO_MOUNT },
  tuneMount: { 400: TUNING },
  listMounts: {},
  readMount: { 400: NO_MOUNT },
  createMount: { 400: CREATING },
  deleteMount: { 400: 'for the mounts that every namespace has.', 405: 'for a path that ends in `/tune`.' },
  readAuthTuning: { 400: NO_MOUNT },
  tuneAuthMethod: { 400: TUNING },
  listAuthMethods: {},
  readAuthMethod: { 400: NO_MOUNT },
  createAuthMethod: { 400: CREATING },
  deleteAuthMethod: { 400: 'for the token method.', 405: 'for a path that ends in `/tune`.' },
  moveMount: {
    400: 'if nothing is mounted at `from`, for the mounts that every namespace has, and if `to` is malformed, taken, or of the other kind.',
  },
  readMove: { 404: 'if the move does not exist, or was more than a day ago.' },
}

const NAME = 'if the name is reserved or has slashes, spaces or wildcards'
const METADATA = 'if the metadata have more than 64 names, or values that are not strings or are too long'

export const NAMESPACES = {
  createNamespace: { 400: `${NAME}, ${METADATA}, and if a mount is below that path.` },
  readNamespace: { 400: `${NAME}.`, 404: 'if the namespace does not exist.' },
  listNamespaces: {},
  patchNamespace: { 400: `${NAME}, and ${METADATA}.`, 404: 'if the namespace does not exist.' },
  deleteNamespace: { 400: `${NAME}, and if there are namespaces below it. An unknown namespace is a warning.` },
}

const NO_WRAPPING_TOKEN = 'for a text that is not a wrapping token, and for a wrapping token that was used or has ended.'
const NO_TOKEN = 'if no token is given and the caller has none.'
const SIGNATURES = 'if too many recent signed tokens had a wrong signature: try again in a second.'

export const WRAPPING = {
  wrap: { 400: 'without a `ttl` of at least one second.', 413: 'if the value is too large for the storage.' },
  unwrap: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  rewrap: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  lookupWrapping: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  readPublicKey: {},
}

const FAILED = 'if the engine failed to revoke the lease. The lease is invalid anyway, and background work retries.'

export const LEASES = {
  lookupLease: { 400: 'if the lease does not exist, or has ended.' },
  listLeases: { 400: 'for an invalid path.' },
  renewLease: { 400: 'if the lease does not exist, if it has ended, is not renewable, or belongs to a token.' },
  revokeLease: {
    400: 'without a lease id.',
    405: 'if the engine of the lease does not support revocation.',
    502: FAILED,
  },
  revokePrefix: {
    400: 'if the path is empty, and if too many earlier revocations are not completed yet; `tick()` completes them.',
    502: 'if engines failed to revoke leases. The leases are invalid anyway, and background work retries.',
  },
  forceRevokePrefix: {
    400: 'if the path is empty, and if too many earlier revocations are not completed yet; `tick()` completes them.',
  },
  tidyLeases: {},
  countLeases: { 400: 'if `type` is not `irrevocable`.' },
  listIrrevocable: { 400: 'if `type` is not `irrevocable`, and if `limit` is neither `none` nor a positive whole number.' },
}

const STRANGERS = 'if too many recent attempts without a token failed: try again in a second.'
const CHANGING =
  'if other processes keep changing the keys of the store, and if the kernel is sealed during the call; nothing was changed.'
const PGP = 'if the PGP port failed: the error is the `cause`.'
const SHARE =
  'if the share is invalid or was already given, if no attempt is in progress, for another nonce, and if the shares do not result in the present key.'

const rekey = (beginning) => ({
  readStatus: {},
  init: {
    400: `if another attempt is in progress, for invalid counts, if the number of PGP keys is not that of the shares, and if a PGP key cannot be read${beginning}.`,
    429: STRANGERS,
    502: PGP,
  },
  cancel: { 503: CHANGING },
  update: { 400: SHARE, 503: CHANGING },
  readVerification: { 400: 'if no attempt is in progress.' },
  restartVerification: { 400: 'if no attempt is in progress.' },
  verify: {
    400: 'if the share is invalid or was already given, if there is nothing to verify, for another nonce, and if the shares do not result in the new key. Then all shares must be given again.',
    503: CHANGING,
  },
  readBackup: { 400: 'if no backup is stored.' },
  deleteBackup: { 503: CHANGING },
})

export const BARRIER_REKEY = rekey('. If the seal is automatic, counts are ignored, and PGP keys and verification are refused')
export const RECOVERY_REKEY = rekey('; and if the seal is not automatic')

const generating = {
  readStatus: {},
  init: {
    400: 'if another attempt of any kind is in progress, if the pad is not 26 bytes long, and if the PGP key cannot be read.',
    429: STRANGERS,
    502: PGP,
  },
  cancel: { 503: CHANGING },
  update: { 400: SHARE, 503: CHANGING },
}

export const GENERATE_ROOT = {
  ...generating,
  decodeToken: { 400: 'if one of them is empty or not base64, or they differ in length.' },
}
export const GENERATE_OPERATION_TOKEN = {
  ...generating,
  deleteToken: {
    400: 'if no token is named, and for a batch token, which cannot be revoked.',
    403: 'if it is not an operation token of this store.',
  },
}

const HEADER = 'for an invalid header name'

export const AUDIT = {
  enableDevice: {
    400: 'if the application does not allow the type, if an option is malformed or the sink cannot be opened, and if the name is in use.',
  },
  listDevices: {},
  disableDevice: { 400: 'for a sink of the application.' },
  hash: { 400: 'if the device does not exist, and if `input` is empty.' },
  writeRequestHeader: { 400: `${HEADER}.` },
  readRequestHeader: { 400: `${HEADER}, and if the header is not configured.` },
  deleteRequestHeader: { 400: `${HEADER}.` },
  listRequestHeaders: {},
}

export const IDENTITY = { readEntity: { 404: 'if the entity in the namespace does not exist.' } }

export const ROTATION = {
  rotate: { 503: CHANGING },
  rotateRootKey: { 503: CHANGING },
  readKeyStatus: {},
  readRotationConfig: {},
  configureRotation: {
    400: 'if `max_operations` is outside of 1,000,000 to 3,865,470,566, and if `interval` is not 0 and under 24 hours or above 292 years.',
  },
}
