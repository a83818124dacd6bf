// When methods of the encryption engine refuse, by status, in addition to the errors of every method. Derived from the operations.

const NO_KEY = 'if the key does not exist'
const IN_USE = 'if the key does not exist, if it is soft-deleted'
const OUTSIDE = 'if an outside system has the key and refused, failed or could not be reached'
const VERSION = 'if `key_version` does not exist, is above the latest version or below `min_encryption_version`'
const CONTEXT = 'if a derived key is used without a context'
const LIMIT = 'and if the version has reached 2^32 encryptions with random nonces'

export const TRANSIT = {
  createKey: {
    400: 'for parameters that exclude each other or do not apply to the type: a derivation, convergent encryption without `derived`, `key_size`, a rotation period below one hour; if the option `fips` excludes the type, or needs `ports.managedKeys` or the name or id of a managed key.',
    502: `${OUTSIDE}.`,
  },
  readKey: { 404: `${NO_KEY}.`, 400: 'if the context is longer than 131,072 bytes.' },
  listKeys: {},
  deleteKey: { 400: `${NO_KEY}, and while its \`deletion_allowed\` is false.` },
  configureKey: {
    400: `${NO_KEY}; if a minimum is negative, above the latest version, below the trimmed versions, or \`min_encryption_version\` is not 0 and below \`min_decryption_version\`; for a rotation period below one hour, and for any rotation period of a managed key.`,
  },
  rotateKey: {
    400: `${IN_USE}, if it was imported without \`allow_rotation\`, and for a managed key without name or id.`,
    502: `${OUTSIDE}.`,
  },
  softDeleteKey: {},
  undeleteKey: {},
  retireVersions: {
    400: `${NO_KEY}; if the census is incomplete, began more than a day ago or in the future, has items of unknown version, or names a version that does not exist; if the first version to keep does not exist.`,
  },
  trimKey: {
    400: `${NO_KEY}; if \`min_available_version\` is below its present value, or above \`min_encryption_version\` (which must be set) or \`min_decryption_version\`.`,
  },
  readWrappingKey: {},
  importKey: {
    400: 'if the key already exists, if both or neither of `ciphertext` and `public_key` are given, if the ciphertext cannot be unwrapped or is not a key of that type, if a derived key has no context or no private key, and if a rotation period is given without `allow_rotation`.',
  },
  importKeyVersion: {
    400: `${IN_USE}; if it was not imported or has been rotated since; if the ciphertext cannot be unwrapped, is not a key of its type, or is not the private key of \`version\`; if \`version\` does not exist or already has its private key.`,
  },
  exportKey: {
    400: 'if the key is not exportable (private kinds), is soft-deleted or does not have that kind of key, if the format does not apply to its type, and if the version does not exist.',
    404: `${NO_KEY}.`,
  },
  exportWrappedKey: {
    400: 'if the source is not exportable or is soft-deleted, if the destination is not an RSA key, and if the version does not exist.',
    404: 'if one of the keys does not exist.',
  },
  backupKey: {
    400: 'if the key is not exportable, does not allow plaintext backups or is soft-deleted, and if the system named by `form` does not have the key type.',
    404: `${NO_KEY}.`,
  },
  restoreKey: {
    400: 'for a text that is not a backup, for a damaged or inconsistent backup, if the key already exists and `force` is not set, and if the option `fips` excludes the type.',
  },
  signCsr: {
    400: `${IN_USE}, if its type does not support certificates or it is derived, if the version does not exist, and if the template is not a certificate request.`,
  },
  setCertificate: {
    400: `${IN_USE}, if its type does not support certificates or it is derived, and if the chain cannot be read, is out of order, or begins with a certificate for another public key.`,
  },
  deriveKey: {
    400: 'if the base key does not exist, is soft-deleted or is not an ECDSA key, if the public key is not PEM or is on another curve, if the type is not symmetric, and if an existing key of that name was neither derived nor imported, or has another type.',
  },
  configureKeys: {},
  readKeysConfig: {},
  configureCache: { 400: 'if `size` is neither 0 nor at least 10.' },
  readCacheConfig: {},
  encrypt: {
    400: `if the key is soft-deleted or does not encrypt; ${VERSION}; ${CONTEXT}; if \`associated_data\`, \`nonce\` or \`padding_scheme\` does not apply to the key; if a missing key may not be created (\`disable_upsert\`) or not with that type; ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  decrypt: {
    400: `${IN_USE} or does not decrypt; ${CONTEXT}; if the ciphertext is malformed, or its version is below \`min_decryption_version\` or does not exist; with the code \`ERR_DECRYPTION_FAILED\` if authentication fails: another key, context or associated data, or a changed bit.`,
    502: `${OUTSIDE}.`,
  },
  rewrap: {
    400: `in the same cases as \`decrypt\`, and ${VERSION}, ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  inspect: { 400: `${NO_KEY}, and if the text is not a ciphertext of this key or names a version above the latest.` },
  inspectBatch: {
    400: `for the whole batch if the list is empty, and ${NO_KEY}. An item is refused in the same cases as by \`inspect\`.`,
  },
  encryptBatch: {
    400: `for the whole batch if the list is empty, if only some items have a context, and if a missing key may not be created. An item is refused in the same cases as by \`encrypt\`.`,
    502: `${OUTSIDE}.`,
  },
  decryptBatch: {
    400: `for the whole batch if the list is empty, if only some items have a context, and ${NO_KEY}. An item is refused in the same cases as by \`decrypt\`.`,
    502: `${OUTSIDE}.`,
  },
  rewrapBatch: {
    400: `for the whole batch if the list is empty, if only some items have a context, and ${NO_KEY}. An item is refused in the same cases as by \`rewrap\`.`,
    502: `${OUTSIDE}.`,
  },
  hmacBatch: {
    400: `for the whole batch if the list is empty, if the hash does not exist, ${NO_KEY}, and ${VERSION}. An item without input is refused.`,
  },
  signBatch: {
    400: `for the whole batch if the list is empty, ${NO_KEY} or it does not sign, and for an unknown hash or form. An item is refused in the same cases as by \`sign\`.`,
    502: `${OUTSIDE}.`,
  },
  verifyBatch: {
    400: `for the whole batch if the list is empty, ${NO_KEY} or it does not verify, and if not all items have a signature, or all an HMAC. An item is refused in the same cases as by \`verify\`.`,
    502: `${OUTSIDE}.`,
  },
  generateDataKey: {
    400: `${IN_USE} or does not encrypt; if \`bits\` is not 128, 256 or 512; ${VERSION}; ${CONTEXT}; ${LIMIT}.`,
    502: `${OUTSIDE}.`,
  },
  hmac: { 400: `${IN_USE} or is a managed key, if the hash does not exist, and ${VERSION}.` },
  hash: { 400: 'if the hash does not exist; sha1 is not offered.' },
  random: { 400: 'for less than 1 and more than 131,072 bytes, and for an unknown source.' },
  sign: {
    400: `${IN_USE} or does not sign; if hash, format, salt or algorithm does not apply to the key, or the length of a digest is not that of the hash; ${VERSION}; ${CONTEXT}.`,
    502: `${OUTSIDE}.`,
  },
  verify: {
    400: `${IN_USE} or does not verify; if both or neither of \`signature\` and \`hmac\` are given; if it is malformed, or its version is below \`min_decryption_version\` or does not exist; ${CONTEXT}. A wrong signature is no error.`,
    502: `${OUTSIDE}.`,
  },
}
