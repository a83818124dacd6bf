// When methods of the encryption engine refuse, by status, in addition to the errors of every method. Derived from the operations.

const NO_KEY = 'if the key does not exist'
const USABLE = 'if the key does not exist or is soft-deleted'
const OUTSIDE = 'if an external system keeps the key, and that system refused the call, failed, or could not be reached'
const VERSION = 'if `key_version` does not exist, is below `min_encryption_version`, or is above the latest version'
const CONTEXT = 'if the key is derived and the call has no context'
const LIMIT = 'if the key version has reached the limit of 2^32 encryptions with random nonces'

export const TRANSIT = {
  createKey: {
    400: 'if the type does not support `derived`, `convergent_encryption` or the `key_size`; if `convergent_encryption` is set without `derived`; if the rotation period is below one hour; if the option `fips` excludes the type; for the type `managed_key`, if `ports.managedKeys` or the name or id of the key is missing.',
    502: `${OUTSIDE}.`,
  },
  readKey: { 404: `${NO_KEY}.`, 400: 'if the context is longer than 131,072 bytes.' },
  listKeys: {},
  deleteKey: { 400: `if the key does not exist, or if its \`deletion_allowed\` is false.` },
  configureKey: {
    400: `${NO_KEY}; if a minimum version is negative, above the latest version, or below the version to which the key was trimmed; if \`min_encryption_version\` is not 0 and below \`min_decryption_version\`; if the rotation period is below one hour; if a managed key gets a rotation period.`,
  },
  rotateKey: {
    400: `${USABLE}; if it was imported without \`allow_rotation\`; if a managed key is rotated without the name or id of its new version.`,
    502: `${OUTSIDE}.`,
  },
  softDeleteKey: {},
  undeleteKey: {},
  retireVersions: {
    400: `${NO_KEY}; if the census is incomplete, began more than a day ago or in the future, contains items of unknown version, or names a version that does not exist; if the oldest version that would remain does not exist.`,
  },
  trimKey: {
    400: `${NO_KEY}; if \`min_encryption_version\` has never been set; if \`min_available_version\` is below its current value, or above \`min_encryption_version\` or \`min_decryption_version\`.`,
  },
  readWrappingKey: {},
  importKey: {
    400: 'if the key already exists; unless exactly one of `ciphertext` and `public_key` is given; if the ciphertext cannot be unwrapped or does not contain a key of the type; if a derived key has no context or no private key; if a rotation period is given without `allow_rotation`.',
  },
  importKeyVersion: {
    400: `${USABLE}; if the key was not imported, or has been rotated since; if the ciphertext cannot be unwrapped, does not contain a key of the type, or does not contain the private key of \`version\`; if \`version\` does not exist or already has its private key.`,
  },
  exportKey: {
    400: 'if the key is soft-deleted or has nothing of this kind to export; if a secret key is not exportable; if the key type does not have the format; if the version does not exist.',
    404: `${NO_KEY}.`,
  },
  exportWrappedKey: {
    400: 'if the source is not exportable or is soft-deleted, if the destination is not an RSA key, or if the version does not exist.',
    404: 'if one of the keys does not exist.',
  },
  backupKey: {
    400: 'if the key is not exportable, does not allow plaintext backups, or is soft-deleted, or if the system that `form` names does not have the key type.',
    404: `${NO_KEY}.`,
  },
  restoreKey: {
    400: 'if the backup is malformed, damaged or inconsistent, if the key already exists and `force` is not set, or if the option `fips` excludes the type.',
  },
  signCsr: {
    400: `${USABLE}; if its type does not support certificates, or it is a derived key; if the version does not exist; if \`csr\` is not a certificate request.`,
  },
  setCertificate: {
    400: `${USABLE}; if its type does not support certificates, or it is a derived key; if the chain cannot be read, is out of order, or does not begin with a certificate for the public key of the version.`,
  },
  deriveKey: {
    400: 'if the base key does not exist, is soft-deleted, or is not an ECDSA key; if the public key is not PEM or is on another curve; if the requested type is not symmetric; if a key named `name` exists that was neither derived nor imported, or has another type.',
  },
  configureKeys: {},
  readKeysConfig: {},
  configureCache: { 400: 'if `size` is neither 0 nor at least 10.' },
  readCacheConfig: {},
  encrypt: {
    400: `if the key is soft-deleted or its type does not encrypt; ${VERSION}; ${CONTEXT}; if the key type does not accept \`associated_data\`, \`nonce\` or \`padding_scheme\`; if the key does not exist and may not be created (\`disable_upsert\`), or not with this type; ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  decrypt: {
    400: `${USABLE}, or its type does not decrypt; ${CONTEXT}; if the ciphertext is malformed, or its version does not exist or is below \`min_decryption_version\`. The code is \`ERR_DECRYPTION_FAILED\` if authentication fails, because the key, context or associated data is wrong or the ciphertext was changed.`,
    502: `${OUTSIDE}.`,
  },
  rewrap: {
    400: `in the same cases as \`decrypt\`; ${VERSION}; ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  inspect: {
    400: `${NO_KEY}, or if \`ciphertext\` does not have the form of a ciphertext of this key or names a version above the latest.`,
  },
  inspectBatch: {
    400: `for the whole batch if the list is empty, or ${NO_KEY}. A single item is refused in the same cases as by \`inspect\`.`,
  },
  encryptBatch: {
    400: `for the whole batch if the list is empty, if only some items have a context, or if the key does not exist and may not be created. A single item is refused in the same cases as by \`encrypt\`.`,
    502: `${OUTSIDE}.`,
  },
  decryptBatch: {
    400: `for the whole batch if the list is empty, if only some items have a context, or ${NO_KEY}. A single item is refused in the same cases as by \`decrypt\`.`,
    502: `${OUTSIDE}.`,
  },
  rewrapBatch: {
    400: `for the whole batch if the list is empty, if only some items have a context, or ${NO_KEY}. A single item is refused in the same cases as by \`rewrap\`.`,
    502: `${OUTSIDE}.`,
  },
  hmacBatch: {
    400: `for the whole batch if the list is empty, if the hash does not exist, ${NO_KEY}, or ${VERSION}. An item without \`input\` is refused alone.`,
  },
  signBatch: {
    400: `for the whole batch if the list is empty, ${NO_KEY} or its type does not sign, or if the hash or the marshaling algorithm is unknown. A single item is refused in the same cases as by \`sign\`.`,
    502: `${OUTSIDE}.`,
  },
  verifyBatch: {
    400: `for the whole batch if the list is empty, ${NO_KEY} or its type does not verify, or unless all items have a signature or all have an HMAC. A single item is refused in the same cases as by \`verify\`.`,
    502: `${OUTSIDE}.`,
  },
  generateDataKey: {
    400: `${USABLE}, or its type does not encrypt; if \`bits\` is not 128, 256 or 512; ${VERSION}; ${CONTEXT}; ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  hmac: { 400: `${USABLE}, or is a managed key; if the hash does not exist; ${VERSION}.` },
  hash: { 400: 'if the hash does not exist. sha1 is not available here.' },
  random: { 400: 'if the number of bytes is below 1 or above 131,072, or if the source is unknown.' },
  sign: {
    400: `${USABLE}, or its type does not sign; if the key type does not support the hash, marshaling algorithm, salt length or signature algorithm; if a digest does not have the length of the hash; ${VERSION}; ${CONTEXT}.`,
    502: `${OUTSIDE}.`,
  },
  verify: {
    400: `${USABLE}, or its type does not verify; unless exactly one of \`signature\` and \`hmac\` is given; if the signature or HMAC is malformed, or its version does not exist or is below \`min_decryption_version\`; ${CONTEXT}. A wrong signature is not an error.`,
    502: `${OUTSIDE}.`,
  },
}
