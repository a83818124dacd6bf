// When methods of the kernel's own operations refuse, by status, in addition to the errors of every method. Derived from the operations.

const OWN_POLICY = 'if the name is `root` or `response-wrapping`'

export const POLICIES = {
  readPolicy: { 404: 'if the policy does not exist.' },
  writePolicy: {
    400: `if the rules are empty, are too long, or cannot be parsed (the message contains the position), or ${OWN_POLICY}.`,
  },
  deletePolicy: { 400: 'if the name is `root`, `response-wrapping` or `default`.' },
  listPolicies: {},
  explain: { 403: 'if the given token is invalid.', 400: 'if the operation is unknown.' },
}

export const PASSWORDS = {
  generatePassword: {
    400: 'if no password that satisfies the policy was found, because random passwords almost never satisfy it.',
    404: 'if the policy does not exist.',
  },
  readPasswordPolicy: { 404: 'if the policy does not exist.' },
  writePasswordPolicy: {
    400: 'if the policy is empty or cannot be parsed, if its length is not 4 to 100, or if its rules require more characters than the length.',
    405: 'if the name ends with `/generate`, since that path generates a password.',
  },
  deletePasswordPolicy: { 405: 'if the name ends with `/generate`, since that path generates a password.' },
  listPasswordPolicies: {},
}

const PATHS = 'if no path is given, if a path is empty'

export const CAPABILITIES = {
  capabilities: { 400: `${PATHS}, if more than 10,000 paths are given, or if the token is invalid.` },
  capabilitiesSelf: { 400: `${PATHS}, or if more than 10,000 paths are given.` },
  capabilitiesAccessor: { 400: `${PATHS}, if more than 10,000 paths are given, or if no token has the accessor.` },
  resultantAcl: {},
}

const NO_MOUNT = 'if nothing is mounted at the path.'
const TUNING =
  'if nothing is mounted at the path, if the default lifetime is above the maximum, if the options name an unknown version, or if the mount does not support a setting.'
const CREATING =
  'if the type is unknown or cannot be mounted at the path, if the path is malformed, if a mount or namespace exists at, above or below the path, or if the default lifetime is above the maximum.'

export const MOUNTS = {
  readMountTuning: { 400: NO_MOUNT },
  tuneMount: { 400: TUNING },
  listMounts: {},
  readMount: { 400: NO_MOUNT },
  createMount: { 400: CREATING },
  deleteMount: { 400: 'if the mount is one that every namespace has, such as `sys/`.', 405: 'if the path ends with `/tune`.' },
  readAuthTuning: { 400: NO_MOUNT },
  tuneAuthMethod: { 400: TUNING },
  listAuthMethods: {},
  readAuthMethod: { 400: NO_MOUNT },
  createAuthMethod: { 400: CREATING },
  deleteAuthMethod: { 400: 'if the auth method is the token method.', 405: 'if the path ends with `/tune`.' },
  moveMount: {
    400: 'if nothing is mounted at `from`, if the mount is one that every namespace has, such as `sys/`, if `to` is malformed or already in use, or if only one of `from` and `to` is the path of an auth method.',
  },
  readMove: { 404: 'if the move does not exist, or ended more than a day ago.' },
}

const NAME = 'if the name is reserved or has slashes, spaces or wildcards'
const METADATA = 'if the metadata has more than 64 entries, a value that is not a string, or a value that is too long'

export const NAMESPACES = {
  createNamespace: { 400: `${NAME}, ${METADATA}, or if a mount exists below the path.` },
  readNamespace: { 400: `${NAME}.`, 404: 'if the namespace does not exist.' },
  listNamespaces: {},
  patchNamespace: { 400: `${NAME}, or ${METADATA}.`, 404: 'if the namespace does not exist.' },
  deleteNamespace: {
    400: `${NAME}, or if there are namespaces below the namespace. Deleting an unknown namespace is not an error; the response then contains a warning.`,
  },
}

const NO_WRAPPING_TOKEN = 'if the token does not exist, is not a wrapping token, was already used, or has expired.'
const NO_TOKEN = 'if no token is given and the caller has no token.'
const SIGNATURES = 'if too many recent calls had a wrapping token in JWT format with a wrong signature. Try again after a second.'

export const WRAPPING = {
  wrap: { 400: 'if `ttl` is missing or below one second.', 413: 'if the object is too large for the storage.' },
  unwrap: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  rewrap: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  lookupWrapping: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  readPublicKey: {},
}

const FAILED = 'if the engine failed to revoke the lease. The lease is invalid anyway, and background work retries.'

export const LEASES = {
  lookupLease: { 400: 'if the lease does not exist or has expired.' },
  listLeases: { 400: 'if the path is invalid.' },
  renewLease: { 400: 'if the lease does not exist, has expired, is not renewable, or belongs to a token.' },
  revokeLease: {
    400: 'if no lease id is given.',
    405: 'if the engine of the lease does not support revocation.',
    502: FAILED,
  },
  revokePrefix: {
    400: 'if the path is empty, or if too many earlier revocations have not been completed yet. `tick()` completes them.',
    502: 'if engines failed to revoke leases. The leases are invalid anyway, and background work retries.',
  },
  forceRevokePrefix: {
    400: 'if the path is empty, or if too many earlier revocations have not been completed yet. `tick()` completes them.',
  },
  tidyLeases: {},
  countLeases: { 400: 'if `type` is not `irrevocable`.' },
  listIrrevocable: { 400: 'if `type` is not `irrevocable`, or if `limit` is neither `none` nor a positive whole number.' },
}

const STRANGERS = 'if too many recent attempts without a token failed. Try again after a second.'
const CHANGING =
  'if other processes keep changing the keys of the store, or if the kernel is sealed during the call. In both cases nothing was changed.'
const PGP = 'if the PGP port failed. Its error is the `cause`.'
const SHARE =
  'if no attempt is in progress, if the nonce is not the nonce of the attempt, if the share is invalid or was already given, or if the shares do not result in the current key.'

const rekey = (beginning) => ({
  readStatus: {},
  init: {
    400: `if another attempt is in progress; if the number of shares or the threshold is invalid; if the number of PGP keys differs from the number of shares; if a PGP key cannot be parsed${beginning}.`,
    429: STRANGERS,
    502: PGP,
  },
  cancel: { 503: CHANGING },
  update: { 400: SHARE, 503: CHANGING },
  readVerification: { 400: 'if no attempt is in progress.' },
  restartVerification: { 400: 'if no attempt is in progress.' },
  verify: {
    400: 'if there is nothing to verify, if the nonce is not the nonce of the verification, if the share is invalid or was already given, or if the shares do not result in the new key. In the last case all shares must be given again.',
    503: CHANGING,
  },
  readBackup: { 400: 'if no backup is stored.' },
  deleteBackup: { 503: CHANGING },
})

export const BARRIER_REKEY = rekey(
  '. With an automatic seal, the number of shares and the threshold are ignored, and PGP keys and verification are refused',
)
export const RECOVERY_REKEY = rekey('; if the seal is not automatic')

const generating = {
  readStatus: {},
  init: {
    400: 'if another attempt of any kind is in progress, if the pad is not 26 bytes long, or if the PGP key cannot be parsed.',
    429: STRANGERS,
    502: PGP,
  },
  cancel: { 503: CHANGING },
  update: { 400: SHARE, 503: CHANGING },
}

export const GENERATE_ROOT = {
  ...generating,
  decodeToken: { 400: 'if the encoded token or the pad is empty or not base64, or if their lengths differ.' },
}
export const GENERATE_OPERATION_TOKEN = {
  ...generating,
  deleteToken: {
    400: 'if no token is given, or if the token is a batch token, which cannot be revoked.',
    403: 'if the token is not an operation token of this store.',
  },
}

const HEADER = 'if the header name is invalid'

export const AUDIT = {
  enableDevice: {
    400: 'if the application does not allow the type, if an option is malformed, if the sink cannot be opened, or if the name is in use.',
  },
  listDevices: {},
  disableDevice: { 400: 'if the device is a sink that the application configured.' },
  hash: { 400: 'if the device does not exist, or if `input` is empty.' },
  writeRequestHeader: { 400: `${HEADER}.` },
  readRequestHeader: { 400: `${HEADER}, or if the header is not configured.` },
  deleteRequestHeader: { 400: `${HEADER}.` },
  listRequestHeaders: {},
}

export const IDENTITY = { readEntity: { 404: 'if the entity does not exist in the namespace.' } }

export const ROTATION = {
  rotate: { 503: CHANGING },
  rotateRootKey: { 503: CHANGING },
  readKeyStatus: {},
  readRotationConfig: {},
  configureRotation: {
    400: 'if `max_operations` is not from 1,000,000 to 3,865,470,566, or if `interval` is neither 0 nor from 24 hours to 292 years.',
  },
}
