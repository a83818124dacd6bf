// The documented refusals of the methods of the encryption engine, by method and HTTP status.
import { ifAny } from './conditions.mjs'

const NO_KEY = 'the key does not exist'
const SOFT_DELETED = 'the key is soft-deleted'
const UNUSABLE = [NO_KEY, SOFT_DELETED]
const MANAGED = '`type` is `managed_key`'
const FIPS = 'the option `fips` excludes the key type'
const OUTSIDE = ifAny('the external system that keeps a managed key refuses the call, fails, or cannot be reached')
const PERIOD = '`auto_rotate_period` is not 0 and is below one hour'
const PRODUCING = [
  'the key has no version `key_version`',
  '`key_version` is below `min_encryption_version` or `min_decryption_version`',
]
const CONSUMING = 'is malformed or names a version that does not exist or is below `min_decryption_version`'
const CONTEXT = 'the key is derived and `context` is missing or longer than 131,072 bytes'
const LIMIT = 'the key version has reached the limit of 2^32 encryptions with random nonces'
const NO_ENCRYPTION = 'keys of this type do not encrypt'
const NO_SIGNATURES = 'keys of this type do not sign'
const PUBLIC_ONLY = 'only the public key of the version was imported'
const NO_VERSION = '`version` does not exist or is below `min_decryption_version`'
const NOT_CERTIFIABLE = ['keys of this type cannot have certificates', 'the key is derived']
const EMPTY = '`batch_input` is empty'
const CONTEXTS = 'some items have a context and others have none'
const HASH = '`hash_algorithm` is unknown'
const SIGNING_PARAMETER = '`hash_algorithm`, `marshaling_algorithm` or `salt_length` is invalid'
const UNSUPPORTED_PARAMETER =
  '`hash_algorithm`, `marshaling_algorithm`, `signature_algorithm` or `salt_length` is invalid or not supported for the key'

const ITEM_PARAMETER = '`associated_data`, `nonce` or `padding_scheme` is given and the key does not accept this parameter'

/** @param {string} method that processes a single item @param {readonly string[]} conditions that refuse the whole batch */
const batch = (method, ...conditions) =>
  `${ifAny(EMPTY, ...conditions)} These errors refuse the whole batch. Every other 400 of \`${method}\` refuses only one item and is in the result of that item.`

const ENCRYPT = [
  SOFT_DELETED,
  NO_ENCRYPTION,
  ...PRODUCING,
  CONTEXT,
  ITEM_PARAMETER,
  'the key does not exist and the setting `disable_upsert` prevents its creation',
  'the key does not exist and `encrypt` cannot create keys of this `type`',
]
const DECRYPT = [...UNUSABLE, 'keys of this type do not decrypt', CONTEXT, `\`ciphertext\` ${CONSUMING}`, PUBLIC_ONLY]
const AUTHENTICATION = 'authentication fails'
const AUTHENTICATION_CAUSE =
  'Authentication fails if the key, the context or the associated data is wrong, or if the ciphertext was changed.'

export const TRANSIT = {
  createKey: {
    400: ifAny(
      'a key with this name and other settings exists',
      '`type` is unknown',
      'keys of this `type` do not support `derived`, `convergent_encryption` or the `key_size`',
      '`convergent_encryption` is set without `derived`',
      PERIOD,
      FIPS,
      `${MANAGED} and the kernel has no \`ports.managedKeys\``,
      `${MANAGED} and neither \`managed_key_name\` nor \`managed_key_id\` is given`,
      `${MANAGED} and \`auto_rotate_period\` is not 0`,
    ),
    502: OUTSIDE,
  },
  readKey: { 404: ifAny(NO_KEY), 400: 'if the context is longer than 131,072 bytes.' },
  listKeys: {},
  deleteKey: { 400: ifAny(NO_KEY, 'the setting `deletion_allowed` of the key is false') },
  configureKey: {
    400: ifAny(
      NO_KEY,
      '`min_decryption_version` or `min_encryption_version` is negative or above the latest version',
      '`min_decryption_version` or `min_encryption_version` would be below the `min_available_version` of the key',
      '`min_encryption_version` would be neither 0 nor at least `min_decryption_version`',
      'the key has no version `min_decryption_version`',
      PERIOD,
      'the key is a managed key and `auto_rotate_period` is not 0',
    ),
  },
  rotateKey: {
    400: ifAny(
      ...UNUSABLE,
      'the key was imported without `allow_rotation`',
      'the key is a managed key and neither `managed_key_name` nor `managed_key_id` is given',
    ),
    502: OUTSIDE,
  },
  softDeleteKey: {},
  undeleteKey: {},
  retireVersions: {
    400: ifAny(
      NO_KEY,
      'the census is incomplete',
      'the census began more than a day ago or in the future',
      'the census contains items of unknown version',
      'the census names a version above the latest version of the key',
      'the key does not have the version that would become `min_decryption_version`',
    ),
  },
  trimKey: {
    400: ifAny(
      NO_KEY,
      '`min_encryption_version` of the key has never been set',
      '`min_available_version` is below its current value',
      '`min_available_version` is above `min_encryption_version` or `min_decryption_version` of the key',
    ),
  },
  readWrappingKey: {},
  importKey: {
    400: ifAny(
      'the key already exists',
      '`ciphertext` and `public_key` are both missing or both given',
      'the ciphertext cannot be unwrapped',
      'the imported key is not a valid key of the `type`',
      '`derived` is set and `context` is missing',
      '`derived` is set and only a public key is given',
      '`auto_rotate_period` is given without `allow_rotation`',
      PERIOD,
      '`convergent_encryption` is given',
      FIPS,
    ),
  },
  importKeyVersion: {
    400: ifAny(
      ...UNUSABLE,
      'the key was not imported',
      'the key was rotated after its import',
      '`ciphertext` and `public_key` are both missing or both given',
      'the ciphertext cannot be unwrapped',
      'the imported key is not a valid key of the type of the named key',
      '`version` is given and the key has no such version',
      '`version` is given and that version already has its private key',
      '`version` is given and the imported key is not the private key of that version',
    ),
  },
  exportKey: {
    400: ifAny(
      SOFT_DELETED,
      '`key_type` is `encryption-key`, `signing-key` or `hmac-key` and the key is not exportable',
      'the key has nothing of the kind `key_type`',
      'the key cannot be exported in the `format`',
      NO_VERSION,
    ),
    404: ifAny(NO_KEY),
  },
  exportWrappedKey: {
    400: ifAny(
      'the source is not exportable',
      'the source is soft-deleted',
      '`version` does not exist or is below the `min_decryption_version` of the source',
      'the destination is not an RSA key',
    ),
    404: ifAny('the source or the destination does not exist'),
  },
  backupKey: {
    400: ifAny(
      'the key is not exportable',
      'the key does not allow plaintext backups',
      SOFT_DELETED,
      'the system that `form` names does not have the key type',
    ),
    404: ifAny(NO_KEY),
  },
  restoreKey: {
    400: `${ifAny(
      'the backup is malformed, damaged or inconsistent',
      'a key with this name exists',
      FIPS,
    )} With \`force\`, an existing key is replaced instead.`,
  },
  signCsr: {
    400: ifAny(...UNUSABLE, ...NOT_CERTIFIABLE, NO_VERSION, PUBLIC_ONLY, '`csr` is not a certificate request'),
  },
  setCertificate: {
    400: ifAny(
      ...UNUSABLE,
      ...NOT_CERTIFIABLE,
      NO_VERSION,
      'the certificate chain cannot be read or is out of order',
      'the first certificate is not for the public key of the version',
    ),
  },
  deriveKey: {
    400: ifAny(
      'the base key does not exist or is soft-deleted',
      'the base key is not an ECDSA key',
      '`peer_public_key` is not PEM or is not on the curve of the base key',
      '`derived_key_type` is not a symmetric type',
      'a key named `name` exists that is soft-deleted or has another type',
      'a key named `name` exists that was neither derived nor imported',
    ),
  },
  configureKeys: {},
  readKeysConfig: {},
  configureCache: { 400: 'if `size` is from 1 to 9, or negative.' },
  readCacheConfig: {},
  encrypt: { 400: ifAny(...ENCRYPT, LIMIT), 502: OUTSIDE },
  decrypt: {
    400: `${ifAny(...DECRYPT, ITEM_PARAMETER, AUTHENTICATION)} ${AUTHENTICATION_CAUSE} The code is then \`ERR_DECRYPTION_FAILED\`.`,
    502: OUTSIDE,
  },
  rewrap: {
    400: `${ifAny(
      ...DECRYPT,
      '`associated_data` or `nonce` is given and the key does not accept this parameter',
      AUTHENTICATION,
      ...PRODUCING,
      LIMIT,
    )} ${AUTHENTICATION_CAUSE}`,
    502: OUTSIDE,
  },
  inspect: {
    400: ifAny(
      NO_KEY,
      '`ciphertext` does not have the form of a ciphertext of this key',
      '`ciphertext` names a version above the latest version of the key',
    ),
  },
  inspectBatch: { 400: batch('inspect', NO_KEY) },
  encryptBatch: {
    400: batch('encrypt', CONTEXTS, 'the key does not exist and cannot be created'),
    502: OUTSIDE,
  },
  decryptBatch: { 400: batch('decrypt', CONTEXTS, NO_KEY), 502: OUTSIDE },
  rewrapBatch: { 400: batch('rewrap', CONTEXTS, NO_KEY), 502: OUTSIDE },
  hmacBatch: { 400: batch('hmac', ...UNUSABLE, HASH, ...PRODUCING) },
  signBatch: {
    400: batch('sign', NO_KEY, NO_SIGNATURES, SIGNING_PARAMETER),
    502: OUTSIDE,
  },
  verifyBatch: {
    400: batch(
      'verify',
      NO_KEY,
      'an item has neither a signature nor an HMAC',
      'some items have a signature and others have only an HMAC',
      'the items have signatures and keys of this type do not sign',
      SIGNING_PARAMETER,
    ),
    502: OUTSIDE,
  },
  generateDataKey: {
    400: ifAny(...UNUSABLE, NO_ENCRYPTION, '`bits` is not 128, 256 or 512', ...PRODUCING, CONTEXT, ITEM_PARAMETER, LIMIT),
    502: OUTSIDE,
  },
  hmac: { 400: ifAny(...UNUSABLE, 'the key is a managed key', HASH, ...PRODUCING) },
  hash: { 400: 'if the hash function is unknown. sha1 is not available here.' },
  random: { 400: ifAny('the number of bytes is below 1 or above 131,072', 'the source is unknown') },
  sign: {
    400: ifAny(
      ...UNUSABLE,
      NO_SIGNATURES,
      UNSUPPORTED_PARAMETER,
      '`prehashed` is set and `input` does not have the length of a digest of the hash',
      ...PRODUCING,
      CONTEXT,
      PUBLIC_ONLY,
    ),
    502: OUTSIDE,
  },
  verify: {
    400: `${ifAny(
      ...UNUSABLE,
      '`signature` and `hmac` are both missing or both given',
      '`signature` is given and keys of this type do not sign',
      '`hmac` is given and the key is a managed key',
      UNSUPPORTED_PARAMETER,
      `\`signature\` or \`hmac\` ${CONSUMING}`,
      CONTEXT,
    )} A wrong signature is not an error.`,
    502: OUTSIDE,
  },
}
