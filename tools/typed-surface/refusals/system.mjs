// When the methods of the kernel's own operations refuse, by status, beside what every method does. Read off the operations.

const OWN_POLICY = 'for the names `root` and `response-wrapping`'

export const POLICIES = {
  readPolicy: { 404: 'when there is no such policy.' },
  writePolicy: {
    400: `when the rules are empty, longer than a policy may be, or cannot be read: the message says where; ${OWN_POLICY}.`,
  },
  deletePolicy: { 400: `${OWN_POLICY}, and for \`default\`.` },
  listPolicies: {},
  explain: { 403: 'when the token that is asked about is not good.', 400: 'for an operation that there is not.' },
}

export const PASSWORDS = {
  generatePassword: {
    400: 'when chance hardly ever meets the rules of the policy.',
    404: 'when there is no such policy.',
  },
  readPasswordPolicy: { 404: 'when there is no such policy.' },
  writePasswordPolicy: {
    400: 'when the policy is empty or cannot be read, when its length is outside of 4 to 100, and when its rules ask for more than that.',
    405: 'for a name that ends in `/generate`, which makes passwords.',
  },
  deletePasswordPolicy: { 405: 'for a name that ends in `/generate`, which makes passwords.' },
  listPasswordPolicies: {},
}

const PATHS = 'when no path is named, an empty one, or more than 10,000'

export const CAPABILITIES = {
  capabilities: { 400: `${PATHS}, and when the token is not good.` },
  capabilitiesSelf: { 400: `${PATHS}.` },
  capabilitiesAccessor: { 400: `${PATHS}, and when no token has the accessor.` },
  resultantAcl: {},
}

const NO_MOUNT = 'when nothing is mounted there.'
const TUNING =
  'when nothing is mounted there, when the default lifetime is above the maximum, when the options name a version that there is not, and for settings that the mount cannot have.'
const CREATING =
  'when the type is unknown or is mounted elsewhere, when the path is malformed or a mount or a namespace is at it, above or below it, and when the default lifetime is above the maximum.'

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
  deleteAuthMethod: { 400: 'for that of tokens.', 405: 'for a path that ends in `/tune`.' },
  moveMount: {
    400: 'when nothing is mounted at `from`, for the mounts that every namespace has, and when `to` is malformed, taken, or of the other kind.',
  },
  readMove: { 404: 'when there was no such move, or it was more than a day ago.' },
}

const NAME = 'when the name is reserved or has slashes, spaces or wildcards'
const METADATA = 'when the metadata have more than 64 names, or values that are no texts or too long'

export const NAMESPACES = {
  createNamespace: { 400: `${NAME}, ${METADATA}, and when a mount lies below that path.` },
  readNamespace: { 400: `${NAME}.`, 404: 'when there is no such namespace.' },
  listNamespaces: {},
  patchNamespace: { 400: `${NAME}, and ${METADATA}.`, 404: 'when there is no such namespace.' },
  deleteNamespace: { 400: `${NAME}, and when there are namespaces below it. One that is not there is a warning.` },
}

const NO_WRAPPING_TOKEN = 'for everything that is no wrapping token, or is none any more.'
const NO_TOKEN = 'when no token is named and none asks.'
const SIGNATURES = 'when too many signed tokens with a wrong signature came lately: try again in a second.'

export const WRAPPING = {
  wrap: { 400: 'without a `ttl` of at least one second.', 413: 'when the storage takes no value of that size.' },
  unwrap: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  rewrap: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  lookupWrapping: { 400: NO_WRAPPING_TOKEN, 403: NO_TOKEN, 429: SIGNATURES },
  readPublicKey: {},
}

const FAILED = 'when the engine failed to revoke. It is refused all the same, and tried again.'

export const LEASES = {
  lookupLease: { 400: 'when there is no such lease, or it has ended.' },
  listLeases: { 400: 'for a path that no request can name.' },
  renewLease: { 400: 'when there is no such lease, when it has ended, is not renewable, or is that of a token.' },
  revokeLease: {
    400: 'when no lease is named.',
    405: 'when the engine of the lease does not revoke.',
    502: FAILED,
  },
  revokePrefix: {
    400: 'when the path is empty, and when too many revocations are still being cleared up, which `tick()` does.',
    502: 'when engines failed to revoke. Those leases are refused all the same, and tried again.',
  },
  forceRevokePrefix: {
    400: 'when the path is empty, and when too many revocations are still being cleared up, which `tick()` does.',
  },
  tidyLeases: {},
  countLeases: { 400: 'when `type` is not `irrevocable`.' },
  listIrrevocable: { 400: 'when `type` is not `irrevocable`, and when `limit` is neither `none` nor a positive whole number.' },
}

const STRANGERS = 'when callers without a token had too many failed attempts lately: try again in a second.'
const CHANGING = 'when others keep changing the keys of the store, and when the kernel is sealed meanwhile; nothing was changed.'
const PGP = 'when PGP failed: the error is the `cause`.'
const SHARE =
  'when it is no share or was given already, when nothing is running, for another nonce, and when the shares do not come to the present key.'

const rekey = (beginning) => ({
  readStatus: {},
  init: {
    400: `when one is running already, when the counts are none that a key can be split by, when there are not as many PGP keys as shares or one cannot be read${beginning}.`,
    429: STRANGERS,
    502: PGP,
  },
  cancel: { 503: CHANGING },
  update: { 400: SHARE, 503: CHANGING },
  readVerification: { 400: 'when nothing is running.' },
  restartVerification: { 400: 'when nothing is running.' },
  verify: {
    400: 'when it is no share or was given already, when there is nothing to verify, for another nonce, and when the shares do not come to the new key. Then all are to be given again.',
    503: CHANGING,
  },
  readBackup: { 400: 'when none is kept.' },
  deleteBackup: { 503: CHANGING },
})

export const BARRIER_REKEY = rekey(
  '. Where the seal is automatic counts do not matter, and PGP keys and verification are refused',
)
export const RECOVERY_REKEY = rekey('; and where the seal is not automatic')

const generating = {
  readStatus: {},
  init: {
    400: 'when one is running already, of whatever kind, when the pad is not 26 bytes long, and when the PGP key cannot be read.',
    429: STRANGERS,
    502: PGP,
  },
  cancel: { 503: CHANGING },
  update: { 400: SHARE, 503: CHANGING },
}

export const GENERATE_ROOT = {
  ...generating,
  decodeToken: { 400: 'when one of them is empty, no base64, or they differ in length.' },
}
export const GENERATE_OPERATION_TOKEN = {
  ...generating,
  deleteToken: {
    400: 'when no token is named, and for a batch token, which ends by itself.',
    403: 'when it is no operation token of this store.',
  },
}

const HEADER = 'when it is not the name of a header'

export const AUDIT = {
  enableDevice: {
    400: 'when the application does not allow the type, when an option is malformed or the sink cannot be opened, and when the name is taken.',
  },
  listDevices: {},
  disableDevice: { 400: 'for a sink that the application gave.' },
  hash: { 400: 'when there is no such device, and when `input` is empty.' },
  writeRequestHeader: { 400: `${HEADER}.` },
  readRequestHeader: { 400: `${HEADER}, and when it is not written to the log.` },
  deleteRequestHeader: { 400: `${HEADER}.` },
  listRequestHeaders: {},
}

export const IDENTITY = { readEntity: { 404: 'when there is no such entity in the namespace.' } }

export const ROTATION = {
  rotate: { 503: CHANGING },
  rotateRootKey: { 503: CHANGING },
  readKeyStatus: {},
  readRotationConfig: {},
  configureRotation: {
    400: 'when `max_operations` is outside of 1,000,000 to 3,865,470,566, and when `interval` is not 0 and under 24 hours or above 292 years.',
  },
}
