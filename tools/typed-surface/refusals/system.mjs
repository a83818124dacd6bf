// The documented refusals of the methods that every kernel has (policies, mounts, leases, rekey, ...), by method and HTTP status.
import { ifAny } from './conditions.mjs'

export const POLICIES = {
  readPolicy: { 404: 'if the policy does not exist.' },
  writePolicy: {
    400: `${ifAny(
      'the rules are empty, are too long, or cannot be parsed',
      'the name is `root` or `response-wrapping`',
      '`ttl` and `expiration` are both given',
      'the policy would have expired already',
      '`cas` is not the current version of the policy',
      '`cas` is missing and this call or the stored policy sets `cas_required`',
    )} If the rules cannot be parsed, the message contains the position.`,
  },
  deletePolicy: { 400: 'if the name is `root`, `response-wrapping` or `default`.' },
  listPolicies: {},
  explain: { 403: 'if the given token is invalid.', 400: 'if the operation is unknown.' },
}

const GENERATING_PATH = 'if the name ends with `/generate`, because that path generates a password.'

export const PASSWORDS = {
  generatePassword: {
    400: 'if none of the generated passwords satisfied the policy, because random passwords almost never satisfy it.',
    404: 'if the policy does not exist.',
  },
  readPasswordPolicy: { 404: 'if the policy does not exist.' },
  writePasswordPolicy: {
    400: ifAny(
      'the policy is empty or cannot be parsed',
      'the password length of the policy is below 4 or above 100',
      'the rules of the policy require more characters than its password length',
    ),
    405: GENERATING_PATH,
  },
  deletePasswordPolicy: { 405: GENERATING_PATH },
  listPasswordPolicies: {},
}

const PATHS = ['no path is given', 'a path is empty', 'more than 10,000 paths are given']

export const CAPABILITIES = {
  capabilities: { 400: ifAny(...PATHS, 'the given token is invalid') },
  capabilitiesSelf: { 400: ifAny(...PATHS) },
  capabilitiesAccessor: { 400: ifAny(...PATHS, 'no token has the accessor') },
  resultantAcl: {},
}

const NO_MOUNT = 'nothing is mounted at the path'
const LIFETIMES = 'the default lifetime of leases is above the maximum lifetime'
const BUILT_IN = 'the mount is one that every namespace has, such as `sys/`'
const TUNE_PATH = 'if the path ends with `/tune`, because that path changes settings of a mount.'
const TUNING = ifAny(
  NO_MOUNT,
  LIFETIMES,
  '`options.version` is unknown or is below the version of the mount',
  'a setting is given that the mount does not have',
)
const CREATING = ifAny(
  'the type is unknown',
  'mounts of the type cannot be created at the path',
  'the path is malformed',
  'a mount or a namespace exists at the path, above it or below it',
  LIFETIMES,
)

export const MOUNTS = {
  readMountTuning: { 400: ifAny(NO_MOUNT) },
  tuneMount: { 400: TUNING },
  listMounts: {},
  readMount: { 400: ifAny(NO_MOUNT) },
  createMount: { 400: CREATING },
  deleteMount: { 400: ifAny(BUILT_IN), 405: TUNE_PATH },
  readAuthTuning: { 400: ifAny(NO_MOUNT) },
  tuneAuthMethod: { 400: TUNING },
  listAuthMethods: {},
  readAuthMethod: { 400: ifAny(NO_MOUNT) },
  createAuthMethod: { 400: CREATING },
  deleteAuthMethod: { 400: 'if the auth method is the token method.', 405: TUNE_PATH },
  moveMount: {
    400: ifAny(
      'nothing is mounted at `from`',
      BUILT_IN,
      '`to` is malformed or already in use',
      'only one of `from` and `to` is the path of an auth method',
    ),
  },
  readMove: { 404: ifAny('the move does not exist', 'the move ended more than a day ago') },
}

const NAME = '`name` is reserved or contains a slash, a space or a wildcard'
const METADATA = [
  '`custom_metadata` has more than 64 entries',
  '`custom_metadata` has a value that is not a string',
  '`custom_metadata` has a name or a value that is too long',
]
const NO_NAMESPACE = 'if the namespace does not exist.'

export const NAMESPACES = {
  createNamespace: {
    400: ifAny(
      NAME,
      ...METADATA,
      'the namespace already exists with other metadata',
      'a mount exists at or below the path of the namespace',
    ),
  },
  readNamespace: { 400: ifAny(NAME), 404: NO_NAMESPACE },
  listNamespaces: {},
  patchNamespace: { 400: ifAny(NAME, ...METADATA), 404: NO_NAMESPACE },
  deleteNamespace: {
    400: `${ifAny(NAME, 'the namespace contains other namespaces')} An unknown namespace is not an error; the response then contains a warning.`,
  },
}

const WRAPPING_TOKEN = {
  400: 'if the token does not exist, is not a wrapping token, was already used, or has expired.',
  403: 'if no token is given and the caller has no token.',
  429: 'if too many recent calls had a wrapping token in JWT format with a wrong signature. Try again after a second.',
}

export const WRAPPING = {
  wrap: { 400: 'if `ttl` is missing or below one second.', 413: 'if the object is too large for the storage.' },
  unwrap: WRAPPING_TOKEN,
  rewrap: WRAPPING_TOKEN,
  lookupWrapping: WRAPPING_TOKEN,
  readPublicKey: {},
}

const RETRIED = 'The leases are invalid anyway, and background work retries the revocation.'
const REVOKING = ifAny('the path is empty', 'too many earlier revocations by prefix have not been completed yet')
const COMPLETES = '`tick()` completes earlier revocations.'
const IRREVOCABLE = '`type` is not `irrevocable`'

export const LEASES = {
  lookupLease: { 400: 'if the lease does not exist or has expired.' },
  listLeases: { 400: 'if the path is invalid.' },
  renewLease: { 400: 'if the lease does not exist, has expired, is not renewable, or belongs to a token.' },
  revokeLease: {
    400: 'if no lease id is given.',
    405: 'if the engine that created the lease does not support revocation.',
    502: 'if the engine failed to revoke the lease. The lease is invalid anyway, and background work retries the revocation.',
  },
  revokePrefix: {
    400: `${REVOKING} ${COMPLETES}`,
    502: `if engines failed to revoke leases. ${RETRIED}`,
  },
  forceRevokePrefix: { 400: `${REVOKING} ${COMPLETES}` },
  tidyLeases: {},
  countLeases: { 400: ifAny(IRREVOCABLE) },
  listIrrevocable: { 400: ifAny(IRREVOCABLE, '`limit` is neither `none` nor a positive whole number') },
}

const KEYS_TESTED = 'if too many PGP keys were tested recently for callers without a token. Try again after a second.'
const KEYS_CHANGING = `${ifAny(
  'other processes keep changing the keys of the store',
  'the kernel is sealed during the call',
)} In these cases nothing was changed.`
const PGP_FAILED = 'if the PGP port failed. Its error is the `cause`.'
const SHARE = ['the share is invalid or was already given', 'the given shares do not result in the current key']
const NO_REKEY = 'no rekey attempt is in progress'

/** @param {readonly string[]} more conditions for the start of this kind of rekey @param {string} note about its parameters */
const rekey = (more, note = '') => ({
  readStatus: {},
  init: {
    400: `${ifAny(
      'another rekey attempt is in progress',
      'the number of shares or the threshold is invalid',
      'the number of PGP keys differs from the number of shares',
      'a PGP key cannot be parsed',
      '`backup` is set and no PGP keys are given',
      ...more,
    )}${note}`,
    429: KEYS_TESTED,
    502: PGP_FAILED,
  },
  cancel: { 503: KEYS_CHANGING },
  update: { 400: ifAny(NO_REKEY, '`nonce` is not the nonce of the attempt', ...SHARE), 503: KEYS_CHANGING },
  readVerification: { 400: ifAny(NO_REKEY) },
  restartVerification: { 400: ifAny(NO_REKEY) },
  verify: {
    400: `${ifAny(
      'there is no new key to verify',
      'the new key was created in another process (only that process has the key)',
      '`nonce` is not the nonce of the verification',
      'the share is invalid or was already given',
      'the given shares do not result in the new key',
    )} After shares that do not result in the new key, all shares must be given again.`,
    503: KEYS_CHANGING,
  },
  readBackup: { 400: 'if no backup is stored.' },
  deleteBackup: { 503: KEYS_CHANGING },
})

export const BARRIER_REKEY = rekey(
  ['the seal is automatic and PGP keys or `require_verification` are given'],
  ' With an automatic seal, the number of shares and the threshold are ignored.',
)
export const RECOVERY_REKEY = rekey(['the seal is not automatic'])

const generating = {
  readStatus: {},
  init: {
    400: ifAny(
      'another attempt to generate a root token or an operation token is in progress',
      '`otp` is not 26 bytes long',
      'the PGP key cannot be parsed',
    ),
    429: KEYS_TESTED,
    502: PGP_FAILED,
  },
  cancel: { 503: KEYS_CHANGING },
  update: {
    400: ifAny('no attempt to generate such a token is in progress', '`nonce` is not the nonce of the attempt', ...SHARE),
    503: KEYS_CHANGING,
  },
}

export const GENERATE_ROOT = {
  ...generating,
  decodeToken: {
    400: ifAny(
      '`encoded_token` or `otp` is empty',
      '`encoded_token` is not base64',
      'the decoded token and `otp` have different lengths',
    ),
  },
}
export const GENERATE_OPERATION_TOKEN = {
  ...generating,
  deleteToken: {
    400: ifAny('no token is given', 'the token is a batch token'),
    403: 'if the token is not an operation token of this store.',
  },
}

const HEADER = 'the header name is invalid'

export const AUDIT = {
  enableDevice: {
    400: ifAny(
      'the application does not allow audit devices of the type',
      'an option is malformed',
      'the sink cannot be opened',
      'the name is in use',
    ),
  },
  listDevices: {},
  disableDevice: { 400: 'if the device is a sink that the application configured.' },
  hash: { 400: ifAny('the device does not exist', '`input` is empty') },
  writeRequestHeader: { 400: ifAny(HEADER) },
  readRequestHeader: { 400: ifAny(HEADER, 'the header is not configured') },
  deleteRequestHeader: { 400: ifAny(HEADER) },
  listRequestHeaders: {},
}

export const IDENTITY = { readEntity: { 404: 'if the entity does not exist in the namespace.' } }

export const ROTATION = {
  rotate: { 503: KEYS_CHANGING },
  rotateRootKey: { 503: KEYS_CHANGING },
  readKeyStatus: {},
  readRotationConfig: {},
  configureRotation: {
    400: ifAny(
      '`max_operations` is below 1,000,000 or above 3,865,470,566',
      '`interval` is not 0 and is below 24 hours or above 292 years',
    ),
  },
}
